#!/usr/bin/env bash
# deb_test.sh BUILD_DIR PACKAGES CONSUMER: looks into the Debian packages of a folder, unpacks them and runs the command from
# there.
set -euo pipefail
build=$1 packages=$2 consumer=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
runtime=$(echo "$packages"/nvmlkit_*.deb) development=$(echo "$packages"/libnvmlkit-dev_*.deb)

failures=0
# A file without a component would make a package of its own.
expected=3
[[ ! -e $build/lib/libnvmlkit_ptx_compiler.so ]] || expected=4
[[ $(ls "$packages"/*.deb | wc -l) == "$expected" ]] || { echo "packages: $(ls "$packages"/*.deb)"; failures=1; }
contains() { # contains DEB PATTERN...
  local deb=$1 pattern list
  list=$(dpkg -c "$deb")
  shift
  for pattern in "$@"; do
    grep -qE "$pattern" <<<"$list" || { echo "$(basename "$deb") lacks $pattern"; failures=$((failures + 1)); }
  done
}
lacks() {
  local deb=$1 pattern
  shift
  for pattern in "$@"; do
    if dpkg -c "$deb" | grep -E "$pattern"; then echo "... is in $(basename "$deb")"; failures=$((failures + 1)); fi
  done
}
contains "$runtime" ' \./usr/bin/nvmlkit$' ' \./usr/lib[^ ]*/nvmlkit/libnvidia-ml\.so\.1$' ' \./usr/lib[^ ]*/nvmlkit/libcuda\.so\.1$' ' \./usr/lib[^ ]*/nvmlkit/libnvmlkit-node\.so$' ' \./usr/lib[^ ]*/nvmlkit/libnvmlkit-audit\.so$' ' \./usr/lib[^ ]*/nvmlkit/trace/libnvidia-ml\.so\.1$' ' \./usr/lib[^ ]*/nvmlkit/trace/libnvmlkit-clock\.so$' 'profiles/h100\.yaml$' \
  'nvmlkit/impersonate/535/libnvidia-ml\.so\.1$' \
  'profiles/machine\.schema\.json$' 'doc/nvmlkit/LICENSE$' \
  'share/man/man1/nvmlkit\.1$' 'share/man/man1/nvmlkit-vgpu-create\.1$' 'share/bash-completion/completions/nvmlkit$' \
  'share/zsh/site-functions/_nvmlkit$' 'share/fish/vendor_completions\.d/nvmlkit\.fish$'
lacks "$runtime" '\.hpp$' '\.a$' '/usr/lib(/x86_64-linux-gnu)?/libnvidia-ml'
contains "$development" 'include/nvmlkit/nvml\.hpp$' 'include/nvmlkit/nvmlkit\.cppm$' 'nvmlkit/generated/module_exports\.inc$' 'nvmlkitConfig\.cmake$' 'pkgconfig/nvmlkit\.pc$' 'libnvmlkit_nvml\.(a|so)' \
  'nvmlkit/detail/build_config\.hpp$' 'libnvmlkit_sim_table\.a$' 'nvmlkit/sim/table\.hpp$' \
  'nvmlkit-sim_table-targets\.cmake$' 'pkgconfig/nvmlkit-sim-table\.pc$'
lacks "$development" 'libnvidia-ml' 'bin/'
# Both are large, and images go without.
lacks "$runtime" 'libnvmlkit-(blas|fft)' 'libcu(rand|blas|fft)\.so' 'libnvmlkit_ptx_compiler'
contains "$(echo "$packages"/nvmlkit-cuda-libraries_*.deb)" ' \./usr/lib[^ ]*/nvmlkit/libcurand\.so\.10$' 'nvmlkit/libnvrtc\.so\.12$'
if ((expected == 4)); then
  contains "$(echo "$packages"/nvmlkit-cuda-compiler_*.deb)" 'nvmlkit/libnvmlkit_ptx_compiler\.so$'
fi
[[ $(dpkg-deb -f "$runtime" Package) == nvmlkit ]] || failures=$((failures + 1))
[[ $(dpkg-deb -f "$runtime" Depends) == *libc6* ]] || { echo "no dependency on libc6"; failures=$((failures + 1)); }
if grep -rqF "$build" <(dpkg-deb --fsys-tarfile "$development" | tar -xO --wildcards '*.cmake' '*.pc'); then
  echo "a place of the build machine is in the package"
  failures=$((failures + 1))
fi

dpkg-deb -x "$runtime" "$folder/root"
output=$("$folder/root/usr/bin/nvmlkit" run -m h100 -n 3 -- "$consumer" libnvidia-ml.so.1 3)
[[ $output == "3 GPUs, the first is NVIDIA H100 80GB HBM3" ]] || { echo "the command printed: $output"; failures=$((failures + 1)); }
version=$("$folder/root/usr/bin/nvmlkit" run -m h100 --with-node=preload -- cat /sys/module/nvidia/version)
[[ $version =~ ^[0-9]+\.[0-9.]+$ ]] || { echo "the preloaded library shows: $version"; failures=$((failures + 1)); }
exit $((failures > 0))
