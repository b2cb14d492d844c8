# Configuring and building. Each kind of build has a folder of its own under build/.
jobs() { nproc; }

configure() {  # configure FOLDER [cmake options..]
  local folder=$1; shift
  [ -f "$folder/build.ninja" ] && return 0
  mkdir -p "$folder"
  say "Configuring $folder"
  quietly "$folder/configure.log" cmake -S . -B "$folder" -G Ninja \
    -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
}

compile() {  # compile FOLDER [targets..]
  local folder=$1; shift
  if [ -t 2 ]; then
    ninja -C "$folder" -j"$(jobs)" "$@" >&2
  else
    [ -f "$folder/.ninja_log" ] || say "Compiling in $folder; the first time takes some minutes"
    quietly "$folder/build.log" ninja -C "$folder" -j"$(jobs)" "$@"
  fi
}

build_folder() {  # where the build of these sanitizers goes
  printf 'build/%s' "${1:-release}"
}

build_all() {  # build_all [SANITIZER] [targets..]
  local sanitizer=${1:-}; shift || true
  need "${build_packages[@]}"
  local folder
  folder=$(build_folder "$sanitizer")
  configure "$folder" -DSEMEL_SANITIZE="$sanitizer"
  compile "$folder" "$@"
}
