#!/usr/bin/env bash
# command_lines.sh plain|pkg-config PREFIX LIBDIR COMPILER DRIVER STANDARD: one compiler call builds a program that runs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
way=$1 prefix=$2 libdir=$3 compiler=$4 driver=$5 standard=$6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The prefix may be anywhere, also where a blank is in its name.
cp -a "$prefix" "$folder/moved"
prefix=$folder/moved

case $way in
  plain)
    "$compiler" "-std=c++$standard" "-I$prefix/include" "$here/consumer/main.cpp" "-L$prefix/$libdir" -lnvmlkit_nvml -ldl \
      -o "$folder/consumer"
    ;;
  pkg-config)
    export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
    [[ $(pkg-config --modversion nvmlkit) == 0.* ]]
    [[ $(pkg-config --variable=driverdir nvmlkit) == */nvmlkit ]]
    [[ $(pkg-config --variable=module nvmlkit) == */include/nvmlkit/nvmlkit.cppm ]]
    for mode in '' --static; do
      # shellcheck disable=SC2046,SC2086
      "$compiler" "-std=c++$standard" "$here/consumer/main.cpp" $(pkg-config $mode --cflags --libs nvmlkit) -o "$folder/consumer"
    done
    if pkg-config --exists nvmlkit-sim-table; then
      # shellcheck disable=SC2046
      "$compiler" "-std=c++$standard" "$here/consumer/unit_test.cpp" $(pkg-config --cflags --libs nvmlkit-sim-table) \
        -o "$folder/unit_test"
      "$folder/unit_test"
    fi
    ;;
esac
export LD_LIBRARY_PATH="$prefix/$libdir"
"$folder/consumer"
[[ $driver == none ]] || NVMLKIT_MACHINE=l40s "$folder/consumer" "$driver" 8
