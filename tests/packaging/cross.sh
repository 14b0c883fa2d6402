#!/usr/bin/env bash
# cross.sh COMPILER linux|windows SOURCE INCLUDES...: what differs between systems compiles with a cross compiler: layouts
# and numbers of the ABI, loader, the system's own file. The whole library is a matter of minutes, see docs/using.md.
set -euo pipefail
compiler=$1 system=$2 source=$3
shift 3
includes=("-I$source/include" "-I$source/src/bindings" "-I$source/src")
for folder in "$@"; do includes+=("-I$folder"); done

# The headers of the build machine are no headers of the other system: of all of them only tl::expected is let in.
borrowed=$(mktemp -d)
trap 'rm -rf "$borrowed"' EXIT
if [[ -d /usr/include/tl ]]; then ln -s /usr/include/tl "$borrowed/tl"; fi

for file in generated/abi_assertions.cpp "platform/dl_$system.cpp" loader.cpp session.cpp library.cpp; do
  "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only "${includes[@]}" "-I$borrowed" "$source/src/bindings/$file"
done
