# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# Building for arm64 on a machine of another processor, and starting programs for arm64 there.

# The compiler, the emulator, and what resolves and downloads the packages of the sysroot.
cross_packages=(g++-aarch64-linux-gnu qemu-user-static mmdebstrap cmake ninja-build ccache dpkg-dev python3)
# What the build and the tests need of Debian 12 for arm64; mmdebstrap adds what these depend on. 180 MB to download, 130 of
# them for LLVM: all that its CMake files name has to be there.
sysroot_packages=(
  libc6-dev libstdc++-12-dev libyaml-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev libexpected-dev libtinyxml2-dev
  libzstd-dev liblz4-dev zlib1g-dev libevent-dev libssl-dev libncurses-dev libgtest-dev libgmock-dev python3 python3-yaml python3-pynvml
  libopenblas-serial-dev libgfortran-12-dev libfftw3-dev llvm-19-dev
)
arm64_folder="$nvmlkit_third_party/arm64"
arm64_sysroot="$arm64_folder/sysroot"

# Ends the script where packages of one of these architectures cannot be built here.
check_architectures() {
  local architecture
  for architecture in "$@"; do
    [[ $architecture == "$(machine_architecture)" || $architecture == arm64 ]] \
      || die "no packages for '$architecture' on this machine: it builds for $(machine_architecture) and arm64"
  done
}

# What a build for an architecture needs beside the build's usual packages: nothing for this machine's own.
prepare_architecture() { # prepare_architecture ARCHITECTURE
  [[ $1 != "$(machine_architecture)" ]] || return 0
  install_packages "${cross_packages[@]}"
  have aarch64-linux-gnu-g++ || die "aarch64-linux-gnu-g++ is missing: apt-get install g++-aarch64-linux-gnu"
  have mmdebstrap || [[ -d $arm64_sysroot ]] || die "mmdebstrap is missing: apt-get install mmdebstrap"
  make_sysroot
}

# Makes the sysroot, once. Its links stay inside it. DEBIAN/ has the files from which dpkg-shlibdeps knows packages of
# libraries.
make_sysroot() {
  local names marked log="$nvmlkit_third_party/arm64/sysroot.log" new="$arm64_sysroot.new"
  names=$(IFS=,; echo "${sysroot_packages[*]}")
  marked="$arm64_sysroot/.complete"
  [[ -e $marked && $(<"$marked") == "$names" ]] && return 0
  [[ -z ${NVMLKIT_NO_INSTALL:-} ]] || die "no sysroot for arm64 in build/third-party/arm64 (scripts/cross makes it, without --no-install)"
  private_apt_setup || die "Debian's packages for arm64 cannot be had"
  say "unpacking Debian's packages for arm64"
  mkdir -p "$arm64_folder"
  rm -rf "$new"
  mkdir -p "$new"
  grep -E ' bookworm main' "$(private_apt_state)/sources.list" >"$arm64_folder/sources.list"
  make_debian_tree "$new.tar" arm64 "$names" "$arm64_folder/sources.list" 2>"$log" \
    && tar -C "$new" -xf "$new.tar" --no-same-owner --exclude=./dev \
    || die "Debian's packages for arm64 cannot be had, see ${log#"$nvmlkit_root"/}"
  keep_inside "$new"
  collect_control_files "$new"
  rm -rf "$new/var/cache/apt" "$new.tar" "$arm64_sysroot"
  mv "$new" "$arm64_sysroot"
  echo "$names" >"$marked"
}

# Absolute links lead into the folder.
keep_inside() { # keep_inside FOLDER
  local link target
  while IFS=$'\t' read -r link target; do
    ln -sfnr "$1$target" "$1/$link"
  done < <(find "$1" -lname '/*' -printf '%P\t%l\n')
}

collect_control_files() { # collect_control_files FOLDER
  local deb kind
  mkdir -p "$1/DEBIAN"
  for deb in "$1"/var/cache/apt/archives/*.deb; do
    for kind in symbols shlibs; do
      dpkg-deb --ctrl-tarfile "$deb" | tar -xO "./$kind" >>"$1/DEBIAN/$kind" 2>/dev/null || true
    done
  done
}

# NVIDIA's nvidia-smi and library of each suite that has them for arm64.
unpack_arm64_clients() {
  local suite package_architecture=arm64
  for suite in bookworm trixie experimental; do unpack_packages "arm64/$suite" "$suite" nvidia-smi libnvidia-ml1; done
}

# Why programs for arm64 cannot be started here; nothing where they can.
no_arm64_programs() {
  if [[ $(uname -m) == aarch64 ]]; then return; fi
  if grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64; then return; fi
  have qemu-aarch64-static || { echo "no qemu-aarch64-static (apt-get install qemu-user-static)"; return; }
  in_private_binfmt true 2>/dev/null || echo "the kernel starts no programs for arm64: it has no handler qemu-aarch64, and gives none to a user namespace (from Linux 6.7 on)"
}

# Runs a command in a namespace where the kernel hands programs for arm64 to qemu: nothing of the system changes.
in_private_binfmt() { python3 "$nvmlkit_root/scripts/lib/binfmt.py" "$(command -v qemu-aarch64-static)" "$@"; }

# Runs a command in whose children programs for arm64 start as others do, with the libraries of the sysroot.
with_arm64_programs() {
  if [[ $(uname -m) == aarch64 ]]; then
    "$@"
  elif grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64; then
    QEMU_LD_PREFIX="$arm64_sysroot" "$@"
  else
    QEMU_LD_PREFIX="$arm64_sysroot" in_private_binfmt "$@"
  fi
}
