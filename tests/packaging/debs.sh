#!/usr/bin/env bash
# debs.sh BUILD_DIR CPACK PACKAGES: makes the Debian packages of a build once, in the folder PACKAGES, for all tests of them.
set -euo pipefail
build=$1 cpack=$2 packages=$3
rm -rf "$packages"
exec "$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$packages"
