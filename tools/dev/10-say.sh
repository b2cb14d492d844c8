# How this script speaks, and how it stops.
say() { printf '%s\n' "$*" >&2; }
die() { say "dev: $*"; exit 1; }
quietly() {  # quietly LOG COMMAND..: shows the log only when the command fails
  local log=$1; shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    die "failed: $* (whole log: $log)"
  fi
}
