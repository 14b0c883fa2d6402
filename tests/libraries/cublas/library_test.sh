#!/usr/bin/env bash
# library_test.sh LIBRARY EXPORTS_MAP [NVIDIA'S]: symbols with their versions, soname, needed libraries.
set -euo pipefail
export LC_ALL=C
library=$1 map=$2 nvidias=${3:-}
soname=$(basename "$map" .map)
failures=0
check() { # check WHAT EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    printf 'FAILED %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}
symbols() { nm -D --defined-only "$1" | awk '$2 == "T" {print $3}' | sed 's/@@/@/' | sort; }
check "exported symbols" "$(sed -nE "s/^ +([A-Za-z0-9_]+);\$/\1@$soname/p" "$map" | sort)" "$(symbols "$library")"
check "soname" "$soname" "$(readelf -d "$library" | sed -nE 's/.*soname: \[(.*)\]/\1/p')"
needed=$(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE '^(libc|libm|ld-linux.*)\.so' || true)
check "needed beside the C library" "libnvmlkit-blas.so.1" "$needed"
if [ -n "$nvidias" ]; then # what ours exports, NVIDIA's exports with the same version
  check "symbols that NVIDIA's lacks" "" "$(comm -23 <(symbols "$library") <(symbols "$nvidias"))"
fi
[ "$failures" -eq 0 ] && echo "library is as it should be"
exit "$failures"
