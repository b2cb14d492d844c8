# clang-tidy on what has changed: against a revision, or the files named.
tidy_main() {  # tidy [--since REV] [FILE..]
  local since=HEAD~1
  if [ "${1:-}" = --since ]; then since=${2:?--since REV}; shift 2; fi
  need "${build_packages[@]}" "${check_packages[@]}"
  configure build/release -DSEMEL_SANITIZE=
  local files=("$@")
  [ ${#files[@]} -gt 0 ] || mapfile -t files < <(git diff --name-only --diff-filter=d "$since" -- 'src/*.cc')
  [ ${#files[@]} -gt 0 ] || { say "nothing has changed since $since"; return 0; }
  printf '%s\n' "${files[@]}" | xargs -P "$(jobs)" -n 4 clang-tidy-19 -p build/release --quiet --warnings-as-errors='*' 2>build/tidy.log
}
