#!/usr/bin/env bash
# Which folder of src/ includes which: tools/layers.txt is the list.
set -euo pipefail
cd "$(dirname "$0")/../.."
declare -A allowed
while IFS=: read -r layer may; do
  [[ -z $layer || $layer == \#* ]] && continue
  allowed[$layer]=" $layer $may "
done <tools/layers.txt
bad=0
while IFS=: read -r file line include; do
  layer=${file#src/}; layer=${layer%%/*}
  [[ $file == src/main.cc ]] && layer=cli
  target=${include#*\"}; target=${target%%/*}
  [[ -d src/$target ]] || continue
  if [[ -z ${allowed[$layer]:-} ]]; then
    echo "$file: the layer '$layer' is not in tools/layers.txt"; bad=1
  elif [[ ${allowed[$layer]} != *" $target "* ]]; then
    echo "$file:$line: $layer must not include $target"; bad=1
  fi
done < <(grep -nE '^#include "[a-z_]+/' -r src --include='*.h' --include='*.cc' | grep -v '_test\.cc:\|/test_[a-z]*\.h:' | sed 's/#include //')
# What only the edge may touch: clocks, chance, threads, sockets.
if grep -nE '(system_clock|steady_clock|high_resolution_clock)::now|random_device|std::j?thread\b|\bgetenv\(|::socket\(|sleep_for|sleep_until\(std' \
  -r src/base src/core src/port src/engine src/http src/api --include='*.h' --include='*.cc' | grep -v 'failpoint\|_test.cc'; then
  echo "clocks, chance, threads and sockets are the edge's alone"; bad=1
fi
if grep -nE '#include <boost/(asio|beast)|#include <sqlite3' -r src/base src/core src/port src/engine src/api; then
  echo "third-party I/O libraries are the edge's and http's alone"; bad=1
fi
exit $bad
