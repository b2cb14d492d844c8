#!/usr/bin/env bash
# Every test and file that docs/testing.md names is there, and each suite is in the file its list says.
# A test is written `Suite.name`, a behaviour script `name.test`, a file by its path.
set -euo pipefail
cd "$(dirname "$0")/../.."
doc=docs/testing.md
bad=0
missing() { echo "$doc: $1"; bad=1; }

# "file Suite.name" of every test in the tree. A declaration may take two lines.
declared() {
  local file
  while read -r file; do
    tr '\n' ' ' <"$file" | grep -oE '\b(TEST|TEST_F|TEST_P|RC_GTEST_PROP)\( *[A-Za-z0-9_]+, *[A-Za-z0-9_]+' |
      sed -E "s|^[A-Z_]+\( *([A-Za-z0-9_]+), *([A-Za-z0-9_]+)|$file \1.\2|"
  done < <(git ls-files --cached --others --exclude-standard '*_test.cc')
}
tests=$(declared)
cited=$(grep -oE '`[^`]+`' $doc | tr -d '`' | sort -u)

while read -r name; do
  if [[ $name =~ ^[A-Z][A-Za-z0-9]*\.[A-Za-z0-9_]+$ ]]; then
    grep -qE " ${name/./\\.}$" <<<"$tests" || missing "there is no test $name"
    grep -qF "| \`${name%%.*}\` |" $doc || missing "the list of suites lacks ${name%%.*}"
  elif [[ $name =~ ^[a-z0-9_]+\.test$ ]]; then
    [ -f "tests/behaviour/$name" ] || missing "there is no script tests/behaviour/$name"
  elif [[ $name =~ ^(src|tests|tools|demo|docs)/[A-Za-z0-9_./-]+$ ]]; then
    [ -e "$name" ] || missing "there is no $name"
  fi
done <<<"$cited"

while IFS='|' read -r _ suite file _; do
  suite=$(tr -d '` ' <<<"$suite") file=$(tr -d '` ' <<<"$file")
  grep -qE "^$file $suite\." <<<"$tests" || missing "$suite is not in $file"
done < <(sed -n '/^## Where each suite is/,$p' $doc | grep '^| `')
exit $bad
