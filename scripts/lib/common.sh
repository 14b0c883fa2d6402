# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# What every script of the project shares: where the tree is, how to say something, how to become root.

nvmlkit_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
nvmlkit_third_party="$nvmlkit_root/build/third-party"

say() { printf '== %s\n' "$*" >&2; }
warn() { printf '== warning: %s\n' "$*" >&2; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as root, directly or through sudo; never asks for a password.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n -- "$@"
  else
    return 126
  fi
}

# How many compilers to run at once: one per core, and no more than 1.5 GB of memory per compiler allow.
build_jobs() {
  local cores mem_kb by_memory
  cores=$(nproc)
  mem_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  by_memory=$((${mem_kb:-4000000} / 1500000))
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}
