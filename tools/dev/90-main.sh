# The commands.
usage() {
  cat <<'TEXT'
./dev COMMAND
  build                      build everything into build/release
  test [--filter PATTERN] [--sanitize address|undefined|thread]
                             build and run all tests and checks
  demo [--events N] [--kills K] [--json] [--payloads DIR]
                             server and receiver as processes, killed and restarted, three accounts compared
  scenario NAME              one small case told step by step; `scenario --list` names them
  bench [NAME] [options]     a benchmark; `pipeline` when none is named
  fuzz [--seconds N] [TARGET..]
                             parsers under libFuzzer, two at a time; N seconds (120) over all of them
  sim [options]              worlds that break: --seeds N [--json], --seed S [--store memory|disk] --trace or --shrink,
                             --long, --recoveries N, --planted all|NAME; all of them: sim --help
  check                      layers, claims, formatting
  tidy [--since REV] [FILE..]  clang-tidy on what has changed
  help                       this text
TEXT
}

main() {
  local command=${1:-help}
  [ $# -gt 0 ] && shift
  case $command in
    build) build_all '' "$@" ;;
    test) test_main "$@" ;;
    demo) demo_main "$@" ;;
    scenario) scenario_main "$@" ;;
    bench) bench_main "$@" ;;
    fuzz) fuzz_main "$@" ;;
    sim) sim_main "$@" ;;
    check) need "${check_packages[@]}"; check_main ;;
    tidy) tidy_main "$@" ;;
    help|-h|--help) usage ;;
    *) usage >&2; die "no command '$command'" ;;
  esac
}
