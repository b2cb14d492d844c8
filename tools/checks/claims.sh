#!/usr/bin/env bash
# Semel never claims that a delivery happens once only. The words may stand only where the claim is denied.
set -euo pipefail
cd "$(dirname "$0")/../.."
hits=$(git grep -nIiE 'exactly[- ]once|guaranteed delivery' -- . ':!tools/checks/claims.sh' |
  grep -viE 'never|not |no one|cannot|refus|without claiming' || true)
[ -z "$hits" ] && exit 0
echo "$hits"
exit 1
