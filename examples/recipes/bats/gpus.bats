#!/usr/bin/env bats
# A monitoring script on simulated GPUs: `bats gpus.bats`, with nvmlkit in PATH. Each test has a machine of its own.

setup() {
  command -v nvidia-smi >/dev/null || skip "no nvidia-smi in PATH"
  eval "$(nvmlkit up -m h100 -n 4 --state "$BATS_TEST_TMPDIR/machine")"
}

# The script under test: prints each GPU above 80 degrees.
hot_gpus() {
  nvidia-smi --query-gpu=index,temperature.gpu --format=csv,noheader,nounits |
    while IFS=', ' read -r index degrees; do
      [ "$degrees" -le 80 ] || echo "GPU $index: $degrees C"
    done
}

@test "cool GPUs are not listed" {
  run hot_gpus
  [ "$status" -eq 0 ]
  [ "$output" = "" ]
}

@test "a hot GPU is listed" {
  nvmlkit set gpu=2 thermal.gpu=91
  run hot_gpus
  [ "$status" -eq 0 ]
  [ "$output" = "GPU 2: 91 C" ]
}

@test "a GPU that falls off the bus is reported by nvidia-smi" {
  nvmlkit fault gpu=1 xid 79
  run nvidia-smi -q
  [[ $output == *"GPU is lost"* ]]
  nvmlkit heal gpu=1
  run nvidia-smi -q
  [ "$status" -eq 0 ]
  [[ $output != *"GPU is lost"* ]]
}
