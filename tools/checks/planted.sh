#!/usr/bin/env bash
# No planted fault (src/base/planted.h) is in the program that ships: no fault's name, and no function that asks for
# one. Looks at the program given, else at build/release/semel, if that is built.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-build/release/semel}
[ -e "$program" ] || exit 0
faults=$(sed -n '/^enum class Planted/,/^};/s/^  \([a-z_]*\),$/\1/p' src/base/planted.h)
[ -n "$faults" ] || { echo "src/base/planted.h: no fault is named"; exit 1; }
found=$(strings -a "$program" | grep -F "$faults" || true)
found+=$(nm -C "$program" | grep -E ' semel::(planted|switch_on)\(' || true)
[ -z "$found" ] && exit 0
echo "$program has planted faults in it: $(head -n 1 <<<"$found")"
exit 1
