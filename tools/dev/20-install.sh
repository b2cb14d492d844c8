# What a build needs, from Debian's packages; node is for the interop tests only.
build_packages=(
  clang-19 lld-19 libclang-rt-19-dev ccache cmake ninja-build pkg-config libstdc++-12-dev
  libboost1.81-dev libssl-dev libsqlite3-dev libc-ares-dev libidn2-dev libsimdjson-dev libfmt-dev libcli11-dev
  libtomlplusplus-dev libspdlog-dev libmimalloc-dev libgtest-dev libgmock-dev librapidcheck-dev openssl
)
check_packages=(clang-format-19 clang-tidy-19 g++ sqlite3)
interop_packages=(nodejs npm)

missing_of() {
  local package
  for package in "$@"; do
    # A command that is there already, from wherever, is good enough.
    case $package in
      nodejs) command -v node >/dev/null && continue ;;
      npm) command -v npm >/dev/null && continue ;;
    esac
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
  done
}

need() {
  local missing
  mapfile -t missing < <(missing_of "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  say "Installing from Debian's packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing and neither root nor sudo is at hand: ${missing[*]}"
    as_root=(sudo)
  fi
  mkdir -p build
  quietly build/apt-update.log "${as_root[@]}" apt-get update
  quietly build/apt-install.log "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}
