# The simulator: worlds from seeds in build/release, and every planted fault in build/planted, which alone has them.
sim_main() {  # sim [options of semel-sim]
  need "${build_packages[@]}"
  local argument kind=release whole=no
  for argument in "$@"; do
    case $argument in --seeds|--seeds=*) whole=yes ;; esac
  done
  for argument in "$@"; do
    case $argument in
      --planted|--planted=*) kind=planted whole=no ;;
      --seed|--seed=*|--store|--store=*) whole=no ;;
    esac
  done
  sim_build "$kind"
  if [ $whole = no ]; then sim_program "$kind" "$@"; return; fi
  sim_build planted
  sim_whole "$@"
}

sim_build() {  # sim_build release|planted
  if [ "$1" = planted ]; then configure build/planted -DSEMEL_PLANTED=ON; else configure build/release -DSEMEL_SANITIZE=; fi
  compile "build/$1" semel-sim
}

sim_program() {  # sim_program FOLDER-OF-BUILD [options]
  local kind=$1; shift
  "build/$kind/sim/semel-sim" --commit "$(git describe --always --dirty 2>/dev/null || printf unknown)" --command './dev sim' "$@"
}

# Seeds that failed once, the seeds asked for, then the planted faults; one line of JSON for all of it.
sim_whole() {  # sim_whole [options]
  local json=() hunting=() status=0 at
  for ((at = 1; at <= $#; at++)); do
    case ${!at} in
      --json) json=(--json) ;;
      --jobs|--planted-seeds) hunting+=("${@:at:2}") ;;
    esac
  done
  mkdir -p build/sim
  sim_program release --kept sim/seeds.txt "$@" >build/sim/seeds.log || status=1
  sim_print build/sim/seeds.log ${json[@]+"${json[@]}"}
  say "The planted faults:"
  sim_program planted --planted all ${hunting[@]+"${hunting[@]}"} ${json[@]+"${json[@]}"} >build/sim/planted.log || status=1
  sim_print build/sim/planted.log ${json[@]+"${json[@]}"}
  if [ ${#json[@]} -gt 0 ]; then
    local seeds planted
    seeds=$(tail -n 1 build/sim/seeds.log) planted=$(tail -n 1 build/sim/planted.log)
    printf '%s,"planted"%s\n' "${seeds%%,\"planted\"*}" "${planted##*,\"planted\"}"
  fi
  return $status
}

sim_print() {  # sim_print LOG [--json]: all of it, or all but the line that will be part of another
  if [ $# -gt 1 ]; then sed '$d' "$1"; else cat "$1"; fi
}

# What `./dev test` runs of it. Each of the five counts as one test.
sim_test() {
  mkdir -p build/sim
  sim_build planted
  say "The simulator:"
  sim_step kept release --kept sim/seeds.txt
  sim_step memory release --seeds "$sim_memory_seeds" --store memory
  sim_step disk release --seeds "$sim_disk_seeds" --store disk
  sim_step recoveries release --recoveries "$sim_recoveries"
  sim_step planted planted --planted all
}

sim_test_sanitized() {  # sim_test_sanitized SANITIZER
  mkdir -p build/sim
  say "The simulator:"
  sim_step memory "$1" --seeds 100 --store memory --cpu-seconds 600
  sim_step disk "$1" --seeds 10 --store disk --cpu-seconds 600
}

sim_step() {  # sim_step NAME FOLDER-OF-BUILD [options]
  local log=build/sim/$1.log name=$1 begin=$SECONDS; shift
  if sim_program "$@" --json >"$log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -n 60 "$log" >&2
  fi
  say "  sim $name: $(tail -n 1 "$log") ($((SECONDS - begin)) s)"
}
