# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# NVIDIA's compilers of older CUDA versions, from Debian's packages, laid out as NVIDIA's installer does:
# build/third-party/cuda-11.8 and cuda-12.4. They are large, so that they come only when asked for.

# fetch_cuda_compiler VERSION SUITE RUNTIME_PACKAGE
fetch_cuda_compiler() {
  local version=$1 suite=$2 runtime=$3 dir="$nvmlkit_third_party/cuda-$1" unpacked="$nvmlkit_third_party/cuda-$1.unpacked"
  local package log="$nvmlkit_third_party/cuda-$1.log"
  [[ -e $dir/.complete ]] && return 0
  private_apt_setup || { warn "CUDA $version cannot be had"; return 0; }
  say "unpacking the compiler of CUDA $version (about 1 GB is downloaded, 160 MB are kept)"
  rm -rf "$dir" "$unpacked"
  mkdir -p "$dir"/{bin,lib64,nvvm/bin,nvvm/libdevice} "$unpacked"
  for package in nvidia-cuda-toolkit nvidia-cuda-dev "$runtime" libcub-dev libthrust-dev libcu++-dev; do
    (
      cd "$unpacked"
      private_apt apt-get download "$package/$suite" || exit 1
      # A pattern that a package has nothing for is no error.
      dpkg --fsys-tarfile "$package"_*.deb | tar -x --wildcards './usr/include*' './usr/bin/cudafe++' './usr/bin/fatbinary' \
        './usr/bin/ptxas' './usr/bin/nvlink' './usr/lib/nvidia-cuda-toolkit/bin/*' './usr/lib/nvidia-cuda-toolkit/libdevice/*' \
        '*/libcudart.so*' '*/libcudart_static.a' '*/libcudadevrt.a' || true
      rm -f "$package"_*.deb
    ) >>"$log" 2>&1 || { warn "cannot get $package of $suite, see ${log#"$nvmlkit_root"/}"; rm -rf "$unpacked"; return 0; }
  done
  (
    cd "$unpacked/usr"
    mv include "$dir/"
    mv bin/* lib/nvidia-cuda-toolkit/bin/{nvcc,crt} "$dir/bin/"
    mv lib/nvidia-cuda-toolkit/bin/cicc "$dir/nvvm/bin/"
    mv lib/nvidia-cuda-toolkit/libdevice/* "$dir/nvvm/libdevice/"
    mv lib/x86_64-linux-gnu/lib* "$dir/lib64/"
    cd "$dir/lib64"
    ln -sf "$(basename "$(find . -name 'libcudart.so.*' -type l)")" libcudart.so
  ) >>"$log" 2>&1 || { warn "CUDA $version is not packed as expected, see ${log#"$nvmlkit_root"/}"; return 0; }
  cat >"$dir/bin/nvcc.profile" <<'PROFILE'
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"
PROFILE
  rm -rf "$unpacked"
  touch "$dir/.complete"
}

fetch_cuda_compilers() {
  [[ -z ${NVMLKIT_NO_INSTALL:-} ]] || return 0
  fetch_cuda_compiler 11.8 bookworm libcudart11.0
  fetch_cuda_compiler 12.4 trixie libcudart12
}
