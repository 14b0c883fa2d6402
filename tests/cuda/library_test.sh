#!/usr/bin/env bash
# library_test.sh LIBRARY EXPORTS_MAP: symbols, soname, needed libraries.
set -euo pipefail
export LC_ALL=C
library=$1
map=$2
failures=0

check() { # check WHAT EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    printf 'FAILED %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}

exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort)
wanted=$(sed -nE 's/^ +(cu[A-Za-z0-9_]+);$/\1/p' "$map" | sort -u)
check "exported symbols" "$wanted" "$exported"
check "functions" 673 "$(nm -D --defined-only "$library" | grep -c ' T ')"
check "objects" 20 "$(nm -D --defined-only "$library" | grep -c ' [BD] ')"
# LeakSanitizer of GCC 12, in a program that loads the library, crashes where thread-local memory happens to begin 16 bytes
# behind the start of a page; aligned memory never does.
check "alignment of thread-local memory" 0x40 "$(readelf -lW "$library" | awk '$1 == "TLS" {print $NF}')"
check "soname" "libcuda.so.1" "$(readelf -d "$library" | sed -nE 's/.*soname: \[(.*)\]/\1/p')"
needed=$(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so' || true)
check "needed beside the C library" "" "$needed"
check "libcuda.so" "$(basename "$library")" "$(basename "$(readlink -f "$(dirname "$library")/libcuda.so")")"

[ "$failures" -eq 0 ] && echo "library is as it should be"
exit "$failures"
