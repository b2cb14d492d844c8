# Running tests. Every *_test.cc on disk must have run: the files named in the results are compared with those on disk.

# The simulator's share; within four minutes on two cores together with the planted faults.
sim_memory_seeds=2000
sim_disk_seeds=200
sim_recoveries=50000

test_main() {
  local sanitizer='' filter='*'
  while [ $# -gt 0 ]; do
    case $1 in
      --sanitize) sanitizer=${2:?--sanitize address|undefined|thread}; shift 2 ;;
      --filter) filter=${2:?--filter PATTERN}; shift 2 ;;
      *) die "test knows --filter PATTERN and --sanitize address|undefined|thread, not '$1'" ;;
    esac
  done
  need "${build_packages[@]}" "${check_packages[@]}" "${interop_packages[@]}"
  build_all "$sanitizer"
  local folder
  folder=$(build_folder "$sanitizer")
  interop_install
  run_tests "$folder" "$filter"
  if [ "$filter" = '*' ] && [ -z "$sanitizer" ]; then
    sim_test
    second_opinion
    check_main
  elif [ "$filter" = '*' ]; then
    sim_test_sanitized "$sanitizer"
  fi
  local word="$passed passed, $failed failed"
  printf '%s\n' "$word"
  [ "$failed" -eq 0 ]
}

passed=0
failed=0

run_tests() {  # run_tests FOLDER FILTER
  local folder=$1 filter=$2 program results=$1/results
  rm -rf "$results"; mkdir -p "$results"
  while read -r program; do
    [ -n "$program" ] || continue
    local name; name=$(basename "$program")
    local log=$results/$name.log begin=$SECONDS status=0
    "$folder/$program" --gtest_filter="$filter" --gtest_brief=1 --gtest_output="xml:$results/$name.xml" \
      >"$log" 2>&1 </dev/null || status=$?
    count_results "$results/$name.xml" "$status" "$log"
    say "  $name: $(tail -n 1 "$log") ($((SECONDS - begin)) s)"
  done <"$folder/test-programs.txt"
  [ "$filter" = '*' ] && every_test_file_ran "$results"
  return 0
}

count_results() {  # count_results XML STATUS LOG
  local tests=0 failures=1
  if [ -f "$1" ]; then
    tests=$(sed -n 's/^<testsuites tests="\([0-9]*\)".*/\1/p' "$1" | head -n 1)
    failures=$(sed -n 's/^<testsuites [^>]*failures="\([0-9]*\)".*/\1/p' "$1" | head -n 1)
    local disabled; disabled=$(sed -n 's/^<testsuites [^>]*disabled="\([0-9]*\)".*/\1/p' "$1" | head -n 1)
    [ "${disabled:-0}" -eq 0 ] || { say "  switched-off tests in $1"; failures=$((failures + disabled)); }
    if grep -q 'result="skipped"' "$1"; then say "  skipped tests in $1"; failures=$((failures + 1)); fi
  fi
  if [ "$2" -ne 0 ] && [ "${failures:-0}" -eq 0 ]; then failures=1; fi
  if [ "${failures:-1}" -ne 0 ]; then grep -vE '^\[ +(OK|RUN) ' "$3" | tail -n 60 >&2; fi
  passed=$((passed + tests - (failures > tests ? tests : failures)))
  failed=$((failed + failures))
}

every_test_file_ran() {  # every_test_file_ran RESULTS
  local file missing=0
  while read -r file; do
    if ! grep -qsF "$file\"" "$1"/*.xml; then
      say "  no test of $file has run"
      missing=$((missing + 1))
    fi
  done < <(git ls-files '*_test.cc')
  failed=$((failed + missing))
}

interop_install() {  # the public packages that check our signatures, and the payloads of a large real sender
  [ -f tests/interop/package.json ] || return 0
  if ! cmp -s tests/interop/package.json build/interop/package.json || [ ! -d build/interop/node_modules ]; then
    say "Installing the interop packages from the npm registry"
    mkdir -p build/interop
    cp tests/interop/package.json build/interop/
    [ -f tests/interop/package-lock.json ] && cp tests/interop/package-lock.json build/interop/
    (cd build/interop && quietly install.log npm install --ignore-scripts --no-audit --no-fund)
  fi
  cp tests/interop/*.mjs build/interop/
}

second_opinion() {  # g++ builds and tests what has no coroutine in it
  local folder=build/gcc
  if [ ! -f $folder/build.ninja ]; then
    mkdir -p $folder
    say "Configuring $folder (g++, base and core)"
    quietly $folder/configure.log cmake -S . -B $folder -G Ninja -DSEMEL_SECOND_OPINION=ON -DCMAKE_CXX_COMPILER=g++ \
      -DCMAKE_C_COMPILER=gcc -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
      -DCMAKE_CXX_FLAGS_RELEASE='-O1'
  fi
  compile $folder
  say "The second opinion (g++):"
  run_tests $folder '-'  # everything; '-' alone excludes nothing and skips the comparison of files
}
