#!/usr/bin/env bash
# A compiler's library of another build, or one that cannot be loaded, is a line on stderr, and kernels are interpreted.
#   other_build_test.sh PROGRAM LIBRARY
set -euo pipefail
program=$1 library=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$program" "$folder/program"
expected=$(NVMLKIT_CUDA_ENGINE=interpret "$program" 0 1)

check() { # check LINE: what stands on stderr
  local output line
  output=$(NVMLKIT_CUDA_ENGINE=compile CUDA_CACHE_DISABLE=1 "$folder/program" 0 1 2>"$folder/line")
  line=$(<"$folder/line")
  [[ $output == "$expected" ]] || { echo "other results: $output"; exit 1; }
  [[ $line == $1 ]] || { echo "stderr: $line"; exit 1; }
}

cp "$library" "$folder/libnvmlkit_ptx_compiler.so"
check "nvmlkit: $folder/libnvmlkit_ptx_compiler.so is of another build of nvmlkit: kernels are interpreted"
echo "no library" >"$folder/libnvmlkit_ptx_compiler.so"
check "nvmlkit: $folder/libnvmlkit_ptx_compiler.so: *: kernels are interpreted"
