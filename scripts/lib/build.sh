# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# Configure, build and the places of what was built.

# build_preset PRESET [-DNAME=VALUE...] [-- target...]
build_preset() {
  local preset=$1 options=() targets=()
  shift
  # A tree that is built once is built sooner with several sources in one compilation; a tree that somebody configured
  # stays as it is.
  [[ -f $nvmlkit_root/build/$preset/CMakeCache.txt ]] || options+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8)
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

# build_debs FOLDER: the Debian packages of this machine's architecture, from a build folder of their own.
build_debs() {
  local folder="$nvmlkit_root/build/packages" log="$nvmlkit_root/build/packages.log"
  mkdir -p "$folder"
  say "building the Debian packages"
  rm -f "$1"/{lib,}nvmlkit*.deb
  (
    cd "$nvmlkit_root" \
      && cmake --preset release -B "$folder" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 -DNVMLKIT_BUILD_TESTS=OFF \
        -DNVMLKIT_BUILD_BENCH=OFF -DNVMLKIT_BUILD_EXAMPLES=OFF -DNVMLKIT_BUILD_GENERATOR=OFF -DCMAKE_INSTALL_PREFIX=/usr \
      && cmake --build "$folder" -j "$(build_jobs)" \
      && cpack -G DEB --config "$folder/CPackConfig.cmake" -B "$1"
  ) >"$log" 2>&1 || die "the packages cannot be built, the whole output is in build/packages.log"
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
  if [[ -f $nvmlkit_root/../shared/facts/nvml-api.json ]]; then
    NVMLKIT_SHARED_FACTS_DIR=$(cd "$nvmlkit_root/../shared/facts" && pwd)
    export NVMLKIT_SHARED_FACTS_DIR NVMLKIT_SHARED_FACTS="$NVMLKIT_SHARED_FACTS_DIR/nvml-api.json"
  fi
}
