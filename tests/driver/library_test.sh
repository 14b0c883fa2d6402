#!/usr/bin/env bash
# library_test.sh LIBRARY EXPORTS_MAP: symbols, soname, needed libraries, and the second name beside it.
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
wanted=$(sed -nE 's/^ +(nvml[A-Za-z0-9_]+);$/\1/p' "$map" | sort -u)
check "exported symbols" "$wanted" "$exported"
check "number of symbols" 439 "$(wc -l <<<"$exported")"
check "soname" "libnvidia-ml.so.1" "$(readelf -d "$library" | sed -nE 's/.*soname: \[(.*)\]/\1/p')"
needed=$(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so' || true)
check "needed beside the C library" "" "$needed"
check "libnvidia-ml.so" "$(basename "$library")" "$(basename "$(readlink -f "$(dirname "$library")/libnvidia-ml.so")")"
check "executable stack" "" "$(readelf -lW "$library" | awk '/GNU_STACK/ && /E/ && $7 ~ /E/ {print $7}')"

[ "$failures" -eq 0 ] && echo "library is as it should be"
exit "$failures"
