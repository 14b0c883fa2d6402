# shellcheck shell=bash disable=SC2034,SC2154 # names shared with the scripts that read this file
# The fuzz targets: what each starts from, and where it puts what it finds.

fuzz_targets=(config cuda decoders import recording scenario state trace)

# run_fuzzer TARGET PROGRAM CORPUS CRASHES OPTION...: from what is committed, in one order everywhere, and what is in the folder
# CORPUS. New inputs of interest go there; an input that ends the program goes to the folder CRASHES. The words of the list
# `fixed`, if the caller has one, stand before the program.
run_fuzzer() {
  local target=$1 program=$2 corpus=$3 crashes=$4 options=() from=("$nvmlkit_root/tests/fuzz/seeds/$1") seeds
  shift 4
  mkdir -p "$corpus" "$crashes"
  case $target in
    config)
      from+=("$nvmlkit_root"/profiles/*.yaml)
      options+=(-max_len=8192)
      ;;
    # Without inputs to start from, libFuzzer begins with a few bytes and takes long to make them more.
    decoders) options+=(-max_len=4096 -len_control=0) ;;
    state) options+=(-max_len=512 -len_control=0) ;;
  esac
  seeds=$(find "${from[@]}" -type f 2>/dev/null | LC_ALL=C sort | paste -sd ,) || true
  [[ -z $seeds ]] || options+=("-seed_inputs=$seeds")
  [[ ! -f $nvmlkit_root/tests/fuzz/$target.dict ]] || options+=("-dict=$nvmlkit_root/tests/fuzz/$target.dict")
  ${fixed[@]+"${fixed[@]}"} "$program" ${options[@]+"${options[@]}"} -artifact_prefix="$crashes/" "$@" "$corpus"
}

# Prints the seconds of a duration: 90, 90s, 10m, 1h.
seconds_of() {
  [[ $1 =~ ^([0-9]+)([smh]?)$ ]] || return 1
  case ${BASH_REMATCH[2]} in
    m) echo $((BASH_REMATCH[1] * 60)) ;;
    h) echo $((BASH_REMATCH[1] * 3600)) ;;
    *) echo "${BASH_REMATCH[1]}" ;;
  esac
}
