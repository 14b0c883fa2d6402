# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# Debian packages: the ones that the build needs are installed, the ones of NVIDIA are unpacked beside the system.
# Nothing here fails because a package cannot be had: it says so, and what needs the package is skipped.
# NVMLKIT_NO_INSTALL=1 (or --no-install of a script) leaves the system and the cache as they are.

build_packages=(
  g++ cmake ninja-build ccache
  libyaml-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev libexpected-dev libtinyxml2-dev libvalijson-dev libclang-14-dev
  libzstd-dev liblz4-dev libevent-dev libssl-dev zlib1g-dev libncurses-dev
)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev python3 python3-yaml python3-pytest pkg-config dpkg-dev)
# Of the Prometheus example; without it, that example is left out.
example_packages=(prometheus-cpp-dev)
# The models of the Kubernetes API: the test of the chart's objects.
kubernetes_packages=(python3-kubernetes)
# The compiler of CUDA kernels; without it, kernels are interpreted. 130 MB to download.
compiler_packages=(llvm-19-dev)
# What libcublas, libcusolver, libcusparse and libcudnn compute with, linked statically; without them, it is left out. 15 MB to download.
blas_packages=(libopenblas-serial-dev libgfortran-12-dev)
# What libcufft computes with, linked statically; without it, it is left out. 3 MB to download.
fft_packages=(libfftw3-dev)
# Holds answers of `nvmlkit serve` against its OpenAPI document, and looks at its page. 300 MB to download.
serve_packages=(python3-jsonschema chromium chromium-driver python3-selenium openssl)
# What packs uPlot, the charts of that page: MIT, a package of npm that is embedded in the command.
npm_packages=(npm)
uplot_version=1.6.32
uplot_sha256=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
fuzz_packages=(clang libclang-rt-14-dev lld)
# What resolves and downloads the packages of a container image, and what writes the image.
image_packages=(mmdebstrap umoci dpkg-dev python3)
# Version 14, Debian 12's: another version formats otherwise.
check_packages=(clang-format clang-tidy clang)
# Shells that complete the words of nvmlkit, and what checks its man pages. 8 MB to download.
shell_packages=(zsh fish man-db groff-base)
# From contrib: programs that read GPUs through Python.
python_client_packages=(python3-pynvml gpustat)
# From non-free: the real nvidia-smi, the real library (an oracle for the tests) and NVIDIA's header.
nvidia_packages=(nvidia-smi libnvidia-ml1 libnvidia-ml-dev)
# Programs that read GPUs, with those of their libraries that a small system lacks; python3-pyte reads their screens. 9 MB
# to download.
clients_of_bookworm=(
  nvtop libncursesw6 hwloc-nox libhwloc15 libhwloc-contrib-plugins pcp pcp-conf libpcp3 libpcp-pmda3 libsasl2-2 libsasl2-modules-db
  nvidia-driver-bin python3-pyte python3-wcwidth pciutils libpci3 libkmod2
)
# numba compiles Python to PTX with libNVVM; its test also needs the libdevice of --with-cuda. 45 MB to download.
numba_of_bookworm=(python3-numba python3-llvmlite libllvm14 python3-numpy libblas3 liblapack3 libgfortran5 libnvvm4)
# slurmd of two suites, with the plugins that look for GPUs; the newer one with the C library that it is built for. 2 and 4 MB
# to download.
slurm_of_bookworm=(slurmd slurm-wlm-basic-plugins slurm-wlm-nvml-plugin libhwloc15 libnuma1)
slurm_of_trixie=(slurmd slurm-wlm-basic-plugins slurm-wlm-nvml-plugin libc6 libhwloc15 libnuma1 libudev1 libcap2 libpam0g libaudit1
  libcap-ng0 liblz4-1)
# A container engine without a daemon, and gRPC for the kubelet of the tests. 17 MB to download.
engines_of_bookworm=(
  podman conmon crun runc libgpgme11 libassuan0 libsubid4 libyajl2 python3-grpcio libabsl20220623 libc-ares2 libre2-9
)
# Docker: the first suite whose Docker knows CDI. Its programs run on Debian 12; runc is that of the other engines. 63 MB to download.
docker_of_trixie=(docker.io docker-cli containerd)
# Prometheus, which scrapes a machine among its other watchers. 19 MB to download.
prometheus_of_bookworm=(prometheus)
# With the C library that btop is built for: the test starts it through its loader.
clients_of_trixie=(btop libc6 libstdc++6 libgcc-s1 nvitop python3-pynvml)

# Writes packages of Debian 12 and what they depend on, unpacked, as a tar file. Into a file, because tar stops reading a pipe at
# the end of the archive, and mmdebstrap, which may still write then, hangs up its whole process group. In a session of its own,
# so that this group has nobody else.
make_debian_tree() { # make_debian_tree TAR ARCHITECTURE NAMES SOURCES...
  setsid --wait mmdebstrap --quiet --variant=extract --format=tar --architectures="$2" --include="$3" --skip=cleanup/apt/cache \
    bookworm "$1" "${@:4}"
}

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# Prints the suite that holds a driver branch.
suite_of_branch() {
  case $1 in
    535) echo bookworm ;;
    550) echo trixie ;;
    555) echo experimental ;;
    *) die "no Debian suite is known for driver branch '$1' (expected 535, 550 or 555)" ;;
  esac
}

# apt with a state of its own: sees only what private_apt_setup wrote, changes nothing of the system's lists. Where
# package_architecture is set, it sees packages of this architecture instead of the machine's.
private_apt_state() { echo "$nvmlkit_third_party/apt${package_architecture:+-$package_architecture}"; }
private_apt() {
  local state of=()
  state=$(private_apt_state)
  [[ -z ${package_architecture:-} ]] || of=(-o APT::Architecture="$package_architecture" -o APT::Architectures="$package_architecture")
  "$1" -q ${of[@]+"${of[@]}"} -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User="$(id -un)" \
    -o Acquire::Languages=none -o Acquire::Retries=2 "${@:2}"
}

# Writes the private source list: this machine's own Debian mirror and keyring, with contrib and non-free, in the
# suite of the machine and in those that hold newer drivers.
private_apt_setup() {
  local state codename line uri release entry signed_by='' suite
  state=$(private_apt_state)
  [[ -e $state/ready ]] && return 0
  have apt-get || return 1
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # --no-release-info: also what was never downloaded, as on a fresh machine. A foreign repository may use the same suite
  # names; Debian's mirrors end with /debian.
  line=$(apt-get indextargets --no-release-info --format "\$(RELEASE) \$(COMPONENT) \$(REPO_URI) \$(SOURCESENTRY)" \
    'Created-By: Packages' \
    | awk -v code="$codename" '$2 == "main" && ($1 == code || $1 ~ /^(stable|oldstable|testing|unstable|sid)$/) {
        print ($3 ~ /\/debian\/?$/ ? 0 : 1), $0 }' | sort -s -n -k 1,1 | cut -d ' ' -f 2- | sed -n 1p)
  [[ -n $line ]] || { warn "the apt sources of this machine name no Debian mirror"; return 1; }
  read -r release _ uri entry <<<"$line"
  # Signed-By as the same source file has it (both formats); without one, apt uses its trusted keys.
  signed_by=$(sed -nE 's/^[Ss]igned-[Bb]y: *(\/[^ ]+).*/\1/p; s/.*\[[^]]*signed-by=(\/[^] ]+).*/\1/p' "${entry%:*}" | sed -n 1p)
  : >"$state/sources.list"
  for suite in $(printf '%s\n' "${codename:-$release}" bookworm trixie experimental | sort -u); do
    echo "deb ${signed_by:+[signed-by=$signed_by] }$uri $suite main contrib non-free" >>"$state/sources.list"
  done
  private_apt apt-get update >"$state/update.log" 2>&1 || true
  if ! ls "$state"/lists/*Packages* >/dev/null 2>&1; then
    warn "the Debian mirror does not answer, see ${state#"$nvmlkit_root"/}/update.log"
    return 1
  fi
  touch "$state/ready"
}

# Installs what is missing of the named packages from the system's own sources.
install_packages() {
  local package missing=() log="$nvmlkit_root/build/install.log"
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  if [[ -n ${NVMLKIT_NO_INSTALL:-} ]]; then
    warn "not installed (no-install was asked for): ${missing[*]}"
    return 0
  fi
  have apt-get || { warn "no apt-get here; install by other means: ${missing[*]}"; return 0; }
  say "installing ${missing[*]}"
  mkdir -p "$nvmlkit_root/build"
  apt_install "${missing[@]}" >"$log" 2>&1 && return 0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update >>"$log" 2>&1 || true
  apt_install "${missing[@]}" >>"$log" 2>&1 && return 0
  # One of them cannot be had: the others still can.
  for package in "${missing[@]}"; do
    apt_install "$package" >>"$log" 2>&1 || warn "cannot install $package, see build/install.log"
  done
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@" </dev/null
}

# python3-pynvml and gpustat live in contrib. They are installed through the private source list, so that the
# system's sources stay as they are. They bring Debian's libnvidia-ml1 along, so a machine that has another NVIDIA driver
# is left alone.
install_python_clients() {
  local package missing=() log="$nvmlkit_root/build/install.log"
  for package in "${python_client_packages[@]}"; do installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  if ! installed libnvidia-ml1 && { [[ -e /proc/driver/nvidia ]] || /sbin/ldconfig -p | grep -q 'libnvidia-ml\.so'; }; then
    warn "this machine has an NVIDIA driver of its own: ${missing[*]} are not installed beside it"
    return 0
  fi
  if [[ -n ${NVMLKIT_NO_INSTALL:-} ]]; then
    warn "not installed (no-install was asked for): ${missing[*]}"
    return 0
  fi
  private_apt_setup || { warn "cannot install ${missing[*]}"; return 0; }
  say "installing ${missing[*]}"
  local codename
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016
  as_root env DEBIAN_FRONTEND=noninteractive bash -c "$(declare -f private_apt private_apt_state have); nvmlkit_third_party=\$1; shift
    private_apt apt-get -y --no-install-recommends -t \"\$1\" install \"\${@:2}\"" _ \
    "$nvmlkit_third_party" "$codename" "${missing[@]}" </dev/null >>"$log" 2>&1 \
    || warn "cannot install ${missing[*]}, see build/install.log"
}

# unpack_packages FOLDER SUITE PACKAGE...: unpacks packages into build/third-party/FOLDER, once.
unpack_packages() {
  local folder=$1 suite=$2 dir="$nvmlkit_third_party/$1" package deb got=()
  shift 2
  [[ -e $dir/.complete && $(<"$dir/.complete") == "$*" ]] && return 0
  if [[ -n ${NVMLKIT_NO_INSTALL:-} ]]; then
    return 0
  fi
  private_apt_setup || { warn "these packages of $suite cannot be had: $*"; return 0; }
  mkdir -p "$dir/debs"
  # apt takes seconds to start: all at once, and one by one where that fails.
  (cd "$dir/debs" && private_apt apt-get download "${@/%//$suite}") >>"$dir/download.log" 2>&1 || true
  for package in "$@"; do
    if ! compgen -G "$dir/debs/${package}_*.deb" >/dev/null; then
      (cd "$dir/debs" && private_apt apt-get download "$package/$suite") >>"$dir/download.log" 2>&1 || true
    fi
    deb=$(find "$dir/debs" -name "${package}_*.deb" | sort | tail -n 1)
    if [[ -n $deb ]] && dpkg -x "$deb" "$dir" 2>>"$dir/download.log"; then
      got+=("$(dpkg-deb -W --showformat='${Package} ${Version}' "$deb")")
    else
      warn "cannot get $package of $suite, see ${dir#"$nvmlkit_root"/}/download.log"
      rm -f "$(private_apt_state)/ready" # the lists may be stale: read them again next time
    fi
  done
  rm -rf "$dir/debs"
  if ((${#got[@]} == $#)); then echo "$*" >"$dir/.complete"; fi
  ((${#got[@]} == 0)) || say "unpacked in build/third-party/$folder: ${got[*]}"
}

# uPlot into build/third-party/uplot, by npm. Without it the page of `nvmlkit serve` draws plain curves.
unpack_uplot() {
  local dir="$nvmlkit_third_party/uplot" archive
  [[ -e $dir/.complete && $(<"$dir/.complete") == "$uplot_version" ]] && return 0
  if [[ -n ${NVMLKIT_NO_INSTALL:-} ]]; then
    return 0
  fi
  have npm || { warn "no npm: the page of nvmlkit serve gets plain curves"; return 0; }
  rm -rf "$dir"
  mkdir -p "$dir"
  (cd "$dir" && npm pack --silent "uplot@$uplot_version") >"$dir/download.log" 2>&1 || true
  archive="$dir/uplot-$uplot_version.tgz"
  if ! sha256sum --status -c <<<"$uplot_sha256  $archive" 2>/dev/null; then
    warn "cannot get uplot $uplot_version from npm, see ${dir#"$nvmlkit_root"/}/download.log: the page of nvmlkit serve gets plain curves"
    rm -f "$archive"
    return 0
  fi
  tar -xzf "$archive" -C "$dir" --strip-components=1
  rm "$archive"
  echo "$uplot_version" >"$dir/.complete"
  say "unpacked in build/third-party/uplot: uplot $uplot_version"
}

# The real nvidia-smi of each branch, and other programs that read GPUs.
unpack_clients() {
  local suite
  for suite in bookworm trixie experimental; do unpack_packages "$suite" "$suite" "${nvidia_packages[@]}"; done
  unpack_packages clients/bookworm bookworm "${clients_of_bookworm[@]}"
  unpack_packages clients/trixie trixie "${clients_of_trixie[@]}"
  unpack_packages clients/slurm22 bookworm "${slurm_of_bookworm[@]}"
  unpack_packages clients/slurm24 trixie "${slurm_of_trixie[@]}"
  unpack_packages clients/engines bookworm "${engines_of_bookworm[@]}"
  unpack_packages clients/docker trixie "${docker_of_trixie[@]}"
  unpack_packages clients/numba bookworm "${numba_of_bookworm[@]}"
  unpack_packages clients/prometheus bookworm "${prometheus_of_bookworm[@]}"
}

# Path of the real nvidia-smi / driver library / header of a branch; prints nothing where it is missing, or where the suite
# has moved on to another branch. Where package_architecture is set, those of this architecture.
first_file() {
  { find "$nvmlkit_third_party/${package_architecture:+$package_architecture/}$1" -path "$2" 2>/dev/null || true; } | sort | sed -n 1p
}
real_library() { first_file "$(suite_of_branch "$1")" "*/libnvidia-ml.so.$1.*"; }
real_nvidia_smi() { [[ -z $(real_library "$1") ]] || first_file "$(suite_of_branch "$1")" '*/nvidia/current/nvidia-smi'; }
real_header() { first_file "$(suite_of_branch "$1")" '*/nvml.h'; }
