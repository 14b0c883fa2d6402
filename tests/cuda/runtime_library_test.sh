#!/usr/bin/env bash
# runtime_library_test.sh LIBRARY SOVERSION [NVIDIAS]: symbols, their version, soname, needed libraries; where NVIDIA's
# library is at hand, that every function of it is there.
set -euo pipefail
export LC_ALL=C
library=$1
soname=libcudart.so.$2
failures=0

check() { # check WHAT EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    printf 'FAILED %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}

symbols=$(nm -D --defined-only "$library" | awk '{print $3}')
# LeakSanitizer of GCC 12, in a program that loads the library, crashes where thread-local memory happens to begin 16 bytes
# behind the start of a page; aligned memory never does.
check "alignment of thread-local memory" 0x40 "$(readelf -lW "$library" | awk '$1 == "TLS" {print $NF}')"
check "soname" "$soname" "$(readelf -d "$library" | sed -nE 's/.*soname: \[(.*)\]/\1/p')"
check "versions of symbols" "$soname" "$(grep -oE '@@?.*' <<<"$symbols" | tr -d @ | sort -u)"
check "others than of the runtime" "" "$(grep -vE "^(__)?cuda[A-Z]|^libcudart" <<<"$symbols" || true)"
for name in cudaMalloc cudaFree cudaMemcpy cudaLaunchKernel cudaGetDeviceProperties __cudaRegisterFatBinary __cudaRegisterFunction; do
  check "$name" 1 "$(grep -c "^$name@" <<<"$symbols")"
done
if [ -n "${3:-}" ]; then
  names() { nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | grep -v '^libcudart' | sort; }
  check "functions of $3 that are missing" "" "$(comm -13 <(names "$library") <(names "$3"))"
fi
needed=$(readelf -d "$library" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so' || true)
check "needed beside the C library" "libcuda.so.1" "$needed"

[ "$failures" -eq 0 ] && echo "library is as it should be"
exit "$failures"
