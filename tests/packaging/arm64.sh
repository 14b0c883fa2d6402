#!/usr/bin/env bash
# arm64.sh SOURCE: builds a part of the project for arm64 with scripts/cross and tests it under qemu-user. The whole is a
# matter of hours on a small machine: scripts/cross and scripts/cross --test, without arguments.
# Ends with status 77, skipped, where the compiler, the sysroot or a way to start programs for arm64 is missing.
set -euo pipefail
cross="$1/scripts/cross"
reason=$("$cross" --no-install --run true 2>&1) || {
  echo "skipped: $(tail -n 1 <<<"$reason") (scripts/setup --with-arm64 installs what is missing)"
  exit 77
}
"$cross" --no-install nvidia-ml nvmlkit_cli kernel_log_test nvmlkit_ptx_compiler cuda_float_facts
compiled=
# CUDA programs, where nvcc is: two whose kernels an emulated processor compiles in some ten seconds each.
if ninja -C "$1/build/arm64" -t query cuda_programs >/dev/null 2>&1; then
  "$cross" --no-install cuda_programs
  compiled='|cuda\.compiled_(faults|hopper)$'
fi
"$cross" --no-install --test -R "^(KernelLog\.|clients\.grace$|cuda\.float_facts$compiled)" --no-tests=error
for machine in gh200 gb200-tray gb300; do
  "$cross" --no-install --run env NVMLKIT_BUILD_DIR="$1/build/arm64" python3 "$1/tests/clients/smi_matrix_test.py" --machine "$machine"
done
