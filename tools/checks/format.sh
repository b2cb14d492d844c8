#!/usr/bin/env bash
# clang-format has nothing to change.
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t files < <(git ls-files '*.h' '*.cc')
clang-format-19 --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error:' | head -n 20 && exit 1
exit 0
