# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# Configure, build and the places of what was built.

# build_preset PRESET [-DNAME=VALUE...] [-- target...]
build_preset() {
  local preset=$1 options=() targets=()
  shift
  # A tree that is built once is built sooner with several sources in one compilation; a tree that somebody configured
  # stays as it is.
  [[ -f $nvmlkit_root/build/$preset/CMakeCache.txt ]] || options+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20)
  while (($#)) && [[ $1 != -- ]]; do options+=("$1"); shift; done
  if (($#)); then shift; targets=(--target "$@"); fi
  local log="$nvmlkit_root/build/$preset.log"
  mkdir -p "$nvmlkit_root/build"
  say "building $preset"
  (
    # set -e does not reach into a condition
    cd "$nvmlkit_root" \
      && cmake --preset "$preset" ${options[@]+"${options[@]}"} \
      && cmake --build --preset "$preset" -j "$(build_jobs)" ${targets[@]+"${targets[@]}"}
  ) >"$log" 2>&1 || {
    grep -E ' error: |^FAILED|^CMake Error' -A 6 "$log" | sed -n 1,60p >&2
    die "the $preset build failed, the whole output is in build/$preset.log"
  }
}

# The architecture of this machine, in Debian's words.
machine_architecture() { dpkg --print-architecture; }

# build_debs FOLDER [ARCHITECTURE [PACKAGE]]: the Debian packages of an architecture, this machine's when none is given, from a build
# folder of their own. PACKAGE is nvmlkit: only this one, and only what it needs is built.
build_debs() {
  local architecture=${2:-$(machine_architecture)} preset=release folder="$nvmlkit_root/build/packages" options=() log
  local targets=() packed=()
  [[ -z ${3:-} ]] || { targets=(--target nvmlkit_runtime); packed=(-D 'CPACK_COMPONENTS_ALL=command;driver;data;doc'); }
  if [[ $architecture != "$(machine_architecture)" ]]; then
    # CMake does not ask Debian for the folder of libraries when it builds for another machine.
    preset=$architecture folder+="-$architecture" options=(-DCMAKE_INSTALL_LIBDIR=lib/aarch64-linux-gnu)
  fi
  log="$folder.log"
  mkdir -p "$folder" "$1"
  say "building the Debian packages for $architecture"
  (
    cd "$nvmlkit_root" \
      && cmake --preset "$preset" -B "$folder" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20 -DNVMLKIT_BUILD_TESTS=OFF \
        -DNVMLKIT_BUILD_BENCH=OFF -DNVMLKIT_BUILD_EXAMPLES=OFF -DNVMLKIT_BUILD_GENERATOR=OFF -DCMAKE_INSTALL_PREFIX=/usr \
        ${options[@]+"${options[@]}"} \
      && cmake --build "$folder" -j "$(build_jobs)" ${targets[@]+"${targets[@]}"} \
      && DEB_HOST_ARCH=$architecture cpack -G DEB ${packed[@]+"${packed[@]}"} --config "$folder/CPackConfig.cmake" -B "$1"
  ) >"$log" 2>&1 || die "the packages cannot be built, the whole output is in ${log#"$nvmlkit_root"/}"
}

# The packages of several architectures in FOLDER, and no others. PACKAGE: see build_debs; empty for all.
build_all_debs() { # build_all_debs FOLDER PACKAGE ARCHITECTURE...
  local folder=$1 package=$2 architecture
  shift 2
  check_architectures "$@"
  rm -f "$folder"/{lib,}nvmlkit*.deb
  for architecture in "$@"; do
    prepare_architecture "$architecture"
    build_debs "$folder" "$architecture" "$package"
  done
}

built_command() { echo "$nvmlkit_root/build/$1/bin/nvmlkit"; }

# Exports what the tests read: the real programs and libraries, NVIDIA's headers, facts that lie beside the tree.
# A test whose variable is not set says so and is skipped.
export_test_environment() {
  local branch value
  for branch in 535 550 555; do
    value=$(real_nvidia_smi "$branch"); [[ -z $value ]] || export "NVMLKIT_TEST_SMI_$branch=$value"
    value=$(real_library "$branch"); [[ -z $value ]] || export "NVMLKIT_TEST_LIB_$branch=$value"
  done
  value=$(real_header 535); [[ -z $value ]] || export "NVMLKIT_TEST_HEADER_11_8=$value"
  value=$(real_header 550); [[ -z $value ]] || export "NVMLKIT_TEST_HEADER_12_4=$value"
  value=$(real_header 555); [[ -z $value ]] || export "NVMLKIT_TEST_HEADER_12_5=$value"
  if [[ -f $nvmlkit_root/../shared/facts/nvml-api.json ]]; then
    NVMLKIT_SHARED_FACTS_DIR=$(cd "$nvmlkit_root/../shared/facts" && pwd)
    export NVMLKIT_SHARED_FACTS_DIR NVMLKIT_SHARED_FACTS="$NVMLKIT_SHARED_FACTS_DIR/nvml-api.json"
  fi
}
