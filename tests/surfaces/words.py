"""A cell of the table in a few words, from what it expects."""

from __future__ import annotations

import re

# Key and value of an entry, and the words for it; the first that matches. An entry without words is told by another one.
COMMON = [
    (r".*handle GPU_IS_LOST", "GPU is lost"),
    (r".*handle NOT_FOUND", "not listed"),
    (r".*handle SUCCESS", "listed"),
    (r"(init|cuInit) (.*)", r"`\2`"),
    (r".*\(most\) NOT_SUPPORTED", "many values `NOT_SUPPORTED`"),
    (r".*\(most\) (RESET_REQUIRED)", r"`\1`"),
    (r"(count|list|gpu\d Index|Attached GPUs|gpu\d \*|gpu2|-L gpu2) .*", ""),
    (r".*CORRUPTED_INFOROM", "`CORRUPTED_INFOROM`"),
]
NVML = [
    *COMMON,
    (r".*(TotalEcc|MemoryErrorCounter|SramEcc).* NOT_SUPPORTED", "no ECC counters"),
    (r".*(TotalEcc|MemoryErrorCounter|SramEcc).*", "ECC counters"),
    (r".*BankRemapper.* bPending 0", "no bank pending"),
    (r".*BankRemapper.* bPending.*", "bank pending"),
    (r".*BankRemapper.*", "remapped banks"),
    (r".*AdaptiveTgp.*", "adaptive TGP"),
    (r".*RemappedRows bPending 0", "no row pending"),
    (r".*RemappedRows bPending.*", "row pending"),
    (r".*RemappedRows bFailure.*", "remapping failed"),
    (r".*(RemappedRows|RowRemapper).*", "remapped rows"),
    (r".*RetiredPagesPending.*", "page pending"),
    (r".*NvLinkInfo isNvleReady 0", "encryption not ready"),
    (r".*NvLinkInfo isNvleReady.*", "encryption ready"),
    (r".*NvLinkState.*", "link state"),
    (r".*NvLinkErrorCounter.*", "link errors"),
    (r".*ClocksEventReasons.*", "clocks event reasons"),
    (r".*FanSpeed.* UNKNOWN", "`UNKNOWN`"),
    (r".*FanSpeed.*", "fan speed"),
    (r".*Fabric.* health.*", "fabric health"),
    (r".*Fabric.* (state|cliqueId).*", r"fabric \1"),
    (r".*Fabric.* (cliques|numCliques).*", "fabric cliques"),
    (r".*(PowerManagementLimit|EnforcedPowerLimit) .*", "power limit"),
    (r".*(ClockInfo|ApplicationsClock|ClkVfOffset|ClockOffsets).*", "clocks"),
    (r".*EccMode (\w+) .*", r"\1 ECC mode"),
    (r".*ViolationStatus.*", "violation time"),
    (r".*(Temperature|MarginTemp).*", "temperature"),
    (r".*(UtilizationRates).*", "utilization"),
    (r".*(MemoryInfo|MigDevices).*", "MIG devices"),
    (r"drain state of gpu\d 1", "drain state"),
    (r"drain state of gpu\d .*", ""),
    (r".*MigMode.*", "MIG mode"),
    (r"(gpu\d )?(.*) (GPU_IS_LOST|RESET_REQUIRED)", r"\2: `\3`"),
    (r".*(MaxMigDeviceCount|AccountingStats|SupportedEventTypes|PcieSpeed) .*", ""),
]
FIELDS = [
    *COMMON,
    (r".*ECC_(CURRENT|PENDING) .*", "ECC mode"),
    (r".*ECC_.* NOT_SUPPORTED", "no ECC counters"),
    (r".*ECC_.*", "ECC counters"),
    (r".*PENDING_BANK_REMAPPING 0", "no bank pending"),
    (r".*PENDING_BANK_REMAPPING.*", "bank pending"),
    (r".*BANK_REMAPP.*", "remapped banks"),
    (r".*REMAPPED_PENDING 0", "no row pending"),
    (r".*REMAPPED.* NOT_SUPPORTED", "no remapped rows"),
    (r".*REMAPPED_PENDING.*", "row pending"),
    (r".*REMAPPED_FAILURE.*", "remapping failed"),
    (r".*REMAPPED.*", "remapped rows"),
    (r".*RETIRED_PENDING.*", "page pending"),
    (r".*RETIRED.*", "retired pages"),
    (r".*(NVLINK_GET_STATE|NVLINK_SPEED|CONNECTED_LINK|nvlink state).*", "link state"),
    (r".*(NVLINK_GET_POWER_STATE|INSTANT.*N/A).*", ""),
    (r".*(NVLINK_.*(ERR|BER|RECOVERY|FEC|RCV)).*", "link errors"),
    (r".*(RESET_STATUS|RECOVERY_ACTION).* 0", "no recovery action"),
    (r".*(RESET_STATUS|RECOVERY_ACTION).*", "recovery action"),
    (r".*PERF_POLICY.*", "violation time"),
    (r".*POWER_(CURRENT|REQUESTED)_LIMIT.*", "power limit"),
    (r".*(POWER_INSTANT|POWER_AVERAGE|power usage) (.*[A-Z].*)", r"power: `\2`"),
    (r".*(POWER_INSTANT|POWER_AVERAGE|power usage).*", "power"),
    (r".*(MEMORY_TEMP|temperature).*", "temperature"),
    (r".*fabric health.*", "fabric health"),
    (r".*fabric (\w+) .*", r"fabric \1"),
    (r".*pcie link RESET_REQUIRED.*", ""),
    (r".*pcie link.*", "PCIe link"),
    (r".*ENERGY.*", "energy"),
]
SMI = [
    (r"status of -q (\d+)", r"ends with \1"),
    (r"status of -L .*|-L .*|gpu\d Capabilities.*", ""),
    (r"message (.*)", ""),
    (r"gpu1 gone", "not listed"),
    (r"gpu1 new: .*", "listed"),
    *COMMON,
    (r".*\(most\) (.*)", r"\1"),
    (r".*(Reset Required|Drain and Reset Recommended) (\w+)", r"\1: \2"),
    (r".*ECC Errors.*N/A", "no ECC counters"),
    (r".*ECC Errors.*", "ECC counters"),
    (r".*Remapped Rows/Pending No", "no row pending"),
    (r".*Remapped Rows/? .*", "no remapped rows"),
    (r".*Remapped Rows/Pending.*", "row pending"),
    (r".*Remapping Failure.*", "remapping failed"),
    (r".*Remapped Rows.*", "remapped rows"),
    (r".*Pending Page.*", "page pending"),
    (r".*Retired Pages.*", "retired pages"),
    (r".*nvlink -s/link.*", "link state"),
    (r".*nvlink -s/ gone", "no links"),
    (r".*Clocks Event Reasons.*", "clocks event reasons"),
    (r".*Fan Speed Unknown Error", "fan `ERR!`"),
    (r".*Fabric/Health.*", "fabric health"),
    (r".*Fabric/.*", "fabric"),
    (r".*Power Limit.*", "power limit"),
    (r".*Power Draw (.*[a-z] .*)", r"power: \1"),
    (r".*Power Draw.*", "power"),
    (r".*Clocks/.*", "clocks"),
    (r".*Temp N/A", ""),
    (r".*Temp .*", "temperature"),
    (r".*Utilization/.*", "utilization"),
    (r".*(MIG Device|FB Memory).*", "MIG devices"),
    (r".*MIG Mode.*", "MIG mode"),
    (r".*Inforom.*", "Corrupted infoROM"),
    (r".*ECC Mode.*", "ECC mode"),
    (r".*GPU Link Info.*", "PCIe link"),
]
FILES = [
    (r".*capabilities/.* gone", "capability files go"),
    (r".*capabilities/.* new", "capability files come"),
    (r".*nvidia-caps/.* gone", "capability nodes go"),
    (r".*nvidia-caps/.* new", "capability nodes come"),
    (r"dev/.* gone", "node goes"),
    (r"dev/.* new", "node comes"),
    (r"list /dev/\S+ c .* 0660", "mode 0660"),
    (r"list .*", ""),
    (r".*/information/.* gone", ""),
    (r".* gone", "entries go"),
    (r".* new", "entries come"),
    (r".*/config binary, checksum fea8a821", "`config` all ones"),
    (r".*/config .*", ""),
    (r".*/\w+_link_\w+ (Unknown|63)", "link unknown"),
    (r".*/(uevent|enable|\w*dma_mask_bits) .*", "not bound"),
]
CDI = [
    (r"all .*|\d .*|\d:\d (?!gone|new).*", ""),
    (r".* gone", "device goes"),
    (r"(gpu1|MIG-\S+) new: .*", "device comes"),
    (r"(gpu1|MIG-).*", "device changes"),
    (r".*", ""),
]
CUDA = [
    *COMMON,
    (r"gpu1 gone", "device goes"),
    (r"gpu1 new: device.*", "device comes"),
    (r"gpu1 kernel cuCtxCreate: (.*)", r"no context: `\1`"),
    (r"gpu1 kernel works", "works again"),
]
BY_SURFACE = {"NVML": NVML, "field ids": FIELDS, "DCGM": FIELDS, "nvidia-smi": SMI, "CDI": CDI, "CUDA": CUDA}
SHORTER = [(r"gpu1 UUID, |board serial number, |, gpu1 serial number", ""), (r"gpu1 ", ""), (r"wait fails: (\w+)", r"`\1`")]


def of_list(text: str) -> str:
    """Events and messages are words already."""
    for pattern, words in SHORTER:
        text = re.sub(pattern, words, text)
    return text


def of_entry(surface: str, key: str, value: str) -> str:
    for pattern, words in BY_SURFACE.get(surface, FILES):
        if match := re.fullmatch(pattern, f"{key} {value}", re.DOTALL):
            return match.expand(words)
    name = re.sub(r"^gpu\d ", "", key).rpartition("/")[2]
    return name if surface == "nvidia-smi" else f"`{name}`"


def of_cell(surface: str, expected: dict[str, str]) -> str:
    if not expected:
        return "–"
    if surface in ("event", "log"):
        parts = {"fabric manager's log" if key == "fabric manager" else of_list(value): None for key, value in expected.items()}
    else:
        parts = {words: None for key, value in expected.items() if (words := of_entry(surface, key, value))}
    return ", ".join(parts) or ("no drain state" if surface == "NVML" else "order")
