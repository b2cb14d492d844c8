# Running what was built: the demo, the scenarios, the benchmarks.
demo_main() {
  build_all '' semel semel-demo
  exec build/release/demo/semel-demo --semel build/release/semel "$@"
}

scenario_main() {
  build_all '' semel semel-scenario
  exec build/release/demo/semel-scenario --semel build/release/semel "$@"
}

bench_main() {  # bench [NAME] [options of that benchmark]
  local name=pipeline
  case ${1:-} in ''|-*) ;; *) name=$1; shift ;; esac
  need "${build_packages[@]}"
  configure build/release -DSEMEL_SANITIZE=
  [[ " $(bench_names) " == *" $name "* ]] || die "no benchmark '$name'; there are: $(bench_names)"
  compile build/release semel "semel-bench-$name" $([ "$name" = pipeline ] && echo semel-bench-floor semel-bench-sink)
  local program=()
  [ "$name" = pipeline ] && program=(--semel build/release/semel)
  exec "build/release/bench/semel-bench-$name" "${program[@]}" "$@"
}

bench_names() {
  ninja -C build/release -t targets all 2>/dev/null | sed -n 's/^\(bench\/\)\?semel-bench-\([a-z_]*\):.*/\2/p' | grep -vx 'floor\|sink' | sort -u | tr '\n' ' '
}
