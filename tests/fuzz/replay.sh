#!/usr/bin/env bash
# A fuzz target as a test: the committed inputs, then a fixed number of inputs from a fixed seed. Nothing that an earlier run
# found takes part, so that the test says the same each time.
#   replay.sh PROGRAM RUNS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../../scripts/lib/common.sh
. "$here/../../scripts/lib/common.sh"
# shellcheck source-path=SCRIPTDIR source=../../scripts/lib/fuzz.sh
. "$here/../../scripts/lib/fuzz.sh"

program=$1 runs=$2
target=${program##*/}
target=${target%_fuzzer}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
crashes="${program%/*/*}/crashes/$target"
# Addresses differ from run to run, and guide libFuzzer: by comparisons with what the program holds (use_cmp, use_memmem), and
# by the order of what is sorted by address. So they are fixed, where the system allows it.
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)
status=0
run_fuzzer "$target" "$program" "$scratch" "$crashes" \
  -runs="$runs" -seed=1 -reload=0 -use_cmp=0 -use_memmem=0 -timeout=120 || status=$?
((status == 0)) || say "the input lies in $crashes; a test of its own: $program FILE"
exit "$status"
