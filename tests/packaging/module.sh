#!/usr/bin/env bash
# module.sh PREFIX LIBDIR CLANG DRIVER: the installed module, built as docs/using.md says, and a program that imports it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$1 libdir=$2 clang=$3 driver=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pcm=$folder/nvmlkit.nvml.pcm
options=(-std=c++20 -Wall -Wextra -Werror "-I$prefix/include")
"$clang" "${options[@]}" --precompile "$prefix/include/nvmlkit/nvmlkit.cppm" -o "$pcm"

build() { # build SOURCE
  "$clang" "${options[@]}" "-fmodule-file=nvmlkit.nvml=$pcm" "$here/$1" "$pcm" "-L$prefix/$libdir" -lnvmlkit_nvml -ldl \
    -o "$folder/program"
}
export LD_LIBRARY_PATH="$prefix/$libdir"
build module_user.cpp
"$folder/program"
[[ $driver == none ]] || NVMLKIT_MACHINE=l40s "$folder/program" "$driver" 8
# Headers that are not in the module stand beside it.
build module_and_headers.cpp
"$folder/program"
