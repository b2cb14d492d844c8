# Fuzzing: every target of fuzz/ as a program with libFuzzer and sanitizers. What it finds stays in build/fuzz: inputs
# that reach something new in corpus/, inputs that break a property in crashes/, which later runs try first.
fuzz_main() {  # fuzz [--seconds N] [TARGET..]
  local seconds=120 targets=()
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) seconds=${2:?--seconds N}; shift 2 ;;
      -*) die "fuzz knows --seconds N and names of targets, not '$1'" ;;
      *) targets+=("$1"); shift ;;
    esac
  done
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "--seconds is a whole number above 0"
  local known; mapfile -t known < <(fuzz_targets)
  [ ${#targets[@]} -gt 0 ] || targets=("${known[@]}")
  local target
  for target in "${targets[@]}"; do
    [[ " ${known[*]} " == *" $target "* ]] || die "no fuzz target '$target'; there are: ${known[*]}"
  done

  need "${build_packages[@]}"
  configure build/fuzz -DSEMEL_SANITIZE=fuzzer-no-link,address,undefined
  compile build/fuzz fuzz_canary "${targets[@]/#/fuzz_}"
  fuzz_finds_the_canary
  fuzz_two_at_a_time "$seconds" "${targets[@]}"
  fuzz_report "${targets[@]}"
}

fuzz_targets() {
  local file
  for file in fuzz/*_fuzz.cc; do basename "$file" _fuzz.cc; done | grep -vx canary
}

# A target with a known fault: a run that does not find it would find nothing else.
fuzz_finds_the_canary() {
  local folder=build/fuzz/canary
  rm -rf $folder; mkdir -p $folder/corpus
  if build/fuzz/fuzz/fuzz_canary $folder/corpus fuzz/corpus/canary -artifact_prefix=$folder/ -seed=1 -runs=2000000 \
      >$folder/log 2>&1 || ! grep -q 'broken invariant' $folder/log; then
    die "the fuzzer has not found the fault of the canary (build/fuzz/canary/log)"
  fi
}

fuzz_two_at_a_time() {  # fuzz_two_at_a_time SECONDS TARGET..
  local seconds=$1; shift
  local share=$((seconds * 2 / ($# + $# % 2)))
  [ "$share" -gt 0 ] || share=1
  say "Fuzzing $# targets, $share s each, two at a time"
  local lanes=([0]='' [1]='') turn=0 target
  for target in "$@"; do
    lanes[turn]+=" $target"; turn=$((1 - turn))
  done
  # shellcheck disable=SC2086
  fuzz_lane "$share" ${lanes[0]} & local first=$!
  # shellcheck disable=SC2086
  fuzz_lane "$share" ${lanes[1]}
  wait $first
}

fuzz_lane() {  # fuzz_lane SECONDS TARGET..
  local share=$1 target; shift
  for target in "$@"; do
    local found=build/fuzz/corpus/$target crashes=build/fuzz/crashes/$target
    mkdir -p "$found" "$crashes" build/fuzz/logs
    "build/fuzz/fuzz/fuzz_$target" "$found" "fuzz/corpus/$target" "$crashes" -artifact_prefix="$crashes/" \
      -max_total_time="$share" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
      >"build/fuzz/logs/$target" 2>&1 || printf 'failed\n' >>"build/fuzz/logs/$target"
  done
}

fuzz_report() {  # fuzz_report TARGET..
  local target executions units all_executions=0 all_units=0 failed=0
  for target in "$@"; do
    local log=build/fuzz/logs/$target
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    units=$(sed -n 's/^stat::new_units_added: *//p' "$log")
    printf '  %-17s %9d executions, %4d new units\n' "$target" "${executions:-0}" "${units:-0}"
    all_executions=$((all_executions + ${executions:-0})) all_units=$((all_units + ${units:-0}))
    tail -n 1 "$log" | grep -qx failed || continue
    failed=$((failed + 1))
    fuzz_report_failure "$target" "$log"
  done
  printf '%d targets, %d executions, %d new units, %d targets failed\n' $# $all_executions $all_units $failed
  [ $failed -eq 0 ]
}

fuzz_report_failure() {  # fuzz_report_failure TARGET LOG
  local why input
  why=$(grep -m 1 -E 'broken invariant|ERROR: |runtime error' "$2" || true)
  # Of an input that has failed before libFuzzer writes no second copy.
  input=$(sed -n 's/.*Test unit written to //p' "$2" | tail -n 1)
  printf '  FAILED: %s\n    again: build/fuzz/fuzz/fuzz_%s %s\n    whole output: %s\n' "$why" "$1" "$input" "$2"
}
