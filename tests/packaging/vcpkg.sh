#!/usr/bin/env bash
# vcpkg.sh VCPKG_ROOT SOURCE COMPONENTS [FEATURE...]: vcpkg's own scripts run our overlay port, with the variables that the program
# vcpkg passes to them. What they leave keeps vcpkg's rules, and a project that looks for COMPONENTS in it builds and runs.
# What the port depends on is the system's, and so are the tools: ninja, pkg-config, patchelf.
set -euo pipefail
vcpkg=$(cd "$1" && pwd) source=$2 components=$3
shift 3
features=$(IFS=';' && echo "core${*:+;$*}")
triplet=x64-linux
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package=$folder/packages/nvmlkit_$triplet

helpers=$vcpkg/ports/vcpkg-cmake/vcpkg-port-config.cmake
helpers+=";$vcpkg/ports/vcpkg-cmake-config/vcpkg-port-config.cmake"
mkdir -p "$folder/installed/$triplet" "$folder/downloads"
VCPKG_FORCE_SYSTEM_BINARIES=1 cmake -DCMD=BUILD -DPORT=nvmlkit -DVERSION=0 -DCURRENT_PORT_DIR="$source/packaging/vcpkg/nvmlkit" \
  -DTARGET_TRIPLET=$triplet -D_HOST_TRIPLET=$triplet -DTARGET_TRIPLET_FILE="$vcpkg/triplets/$triplet.cmake" \
  -DFEATURES="$features" -DALL_FEATURES=driver -DVCPKG_PORT_CONFIGS="$helpers" -DVCPKG_ROOT_DIR="$vcpkg" \
  -D_VCPKG_INSTALLED_DIR="$folder/installed" -DPACKAGES_DIR="$folder/packages" -DBUILDTREES_DIR="$folder/buildtrees" \
  -DDOWNLOADS="$folder/downloads" -DVCPKG_CONCURRENCY="${NVMLKIT_VCPKG_JOBS:-2}" \
  -DVCPKG_BASE_VERSION=2026-01-01 -DVCPKG_USE_HEAD_VERSION=0 -D_VCPKG_EDITABLE=0 -D_VCPKG_NO_DOWNLOADS=1 \
  -DVCPKG_PLATFORM_TOOLSET=external -DGIT=git -DPATCHELF="$(command -v patchelf)" \
  -P "$vcpkg/scripts/ports.cmake" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log" "$folder"/buildtrees/nvmlkit/*.log; exit 1; }
if grep -B2 -A5 -i 'warning' "$folder/log"; then exit 1; fi

failures=0
complain() { echo "$1"; failures=$((failures + 1)); }
for file in include/nvmlkit/nvml.hpp include/nvmlkit/nvmlkit.cppm share/nvmlkit/nvmlkitConfig.cmake share/nvmlkit/copyright \
            share/nvmlkit/usage {,debug/}lib/libnvmlkit_nvml.a {,debug/}lib/pkgconfig/nvmlkit.pc; do
  [[ -f $package/$file ]] || complain "there is no $file"
done
for path in bin debug/bin debug/include debug/share debug/tools lib/cmake debug/lib/cmake share/doc; do
  [[ ! -e $package/$path ]] || complain "there is a $path"
done
while read -r path; do complain "$path is an empty folder"; done < <(find "$package" -type d -empty)
while read -r path; do complain "$path names a place of the build"; done < <(grep -rIlF "$folder" "$package")
libraries=$(cd "$package/lib" && find . -name '*.a' -o -name '*.so*' | sort)
[[ $libraries == "$(cd "$package/debug/lib" && find . -name '*.a' -o -name '*.so*' | sort)" ]] ||
  complain "release and debug have different libraries"

ctest --build-and-test "$source/tests/packaging/consumer" "$folder/consumer" --build-generator Ninja --build-options \
  -DNVMLKIT_WAY=find_package -DCMAKE_PREFIX_PATH="$package" -DNVMLKIT_COMPONENTS="$components" -DCMAKE_BUILD_TYPE=Release \
  --test-command ctest --output-on-failure --no-tests=error >"$folder/log" 2>&1 || { cat "$folder/log"; complain "no use"; }
exit $((failures > 0))
