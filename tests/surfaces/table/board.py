"""Heat, power, fans, InfoROM."""

from __future__ import annotations

from .row import Row

ROWS = [
    Row('fault gpu=1 thermal hw', 'h100', then='time advance 10s', cells={
        'NVML': {'gpu1 CurrentClocksEventReasons': '73', 'gpu1 ViolationStatus 1': '10000000000'},
        'event': {'events': 'gpu1 Clock'},
        'field ids': {'gpu1 PERF_POLICY_THERMAL': '10000000000', 'gpu1 PERF_POLICY_TOTAL_APP_CLOCKS': '10000000000'},
        'nvidia-smi': {
            'gpu1 Clocks Event Reasons/HW Slowdown': 'Active',
            'gpu1 Clocks Event Reasons/HW Slowdown/HW Thermal Slowdown': 'Active',
        },
        'DCGM': {'gpu1 thermal PERF_POLICY_THERMAL': '10000000000'},
    }),
    Row('fault gpu=1 thermal sw', 'h100', then='time advance 10s', cells={
        'NVML': {'gpu1 CurrentClocksEventReasons': '33', 'gpu1 ViolationStatus 1': '10000000000'},
        'event': {'events': 'gpu1 Clock'},
        'field ids': {'gpu1 PERF_POLICY_THERMAL': '10000000000', 'gpu1 PERF_POLICY_TOTAL_APP_CLOCKS': '10000000000'},
        'nvidia-smi': {'gpu1 Clocks Event Reasons/SW Thermal Slowdown': 'Active'},
        'DCGM': {'gpu1 thermal PERF_POLICY_THERMAL': '10000000000'},
    }),
    Row('fault gpu=1 power-brake', 'h100', then='time advance 10s', cells={
        'NVML': {'gpu1 CurrentClocksEventReasons': '137'},
        'event': {'events': 'gpu1 Clock'},
        'field ids': {'gpu1 PERF_POLICY_TOTAL_APP_CLOCKS': '10000000000'},
        'nvidia-smi': {
            'gpu1 Clocks Event Reasons/HW Slowdown': 'Active',
            'gpu1 Clocks Event Reasons/HW Slowdown/HW Power Brake Slowdown': 'Active',
        },
    }),
    Row('fault gpu=1 fan 0', 'rtx4090', then='time advance 10s', cells={
        'NVML': {'gpu1 FanSpeed 0': 'UNKNOWN', 'gpu1 FanSpeedRPM': 'new: UNKNOWN'},
        'nvidia-smi': {'gpu1 Fan Speed': 'Unknown Error'},
    }),
    Row('fault gpu=1 fan all', 'rtx4090', then='time advance 10s', cells={
        'NVML': {'gpu1 FanSpeed 0': 'UNKNOWN', 'gpu1 FanSpeedRPM': 'new: UNKNOWN'},
        'nvidia-smi': {'gpu1 Fan Speed': 'Unknown Error'},
    }),
    Row('fault gpu=1 inforom', 'h100', cells={
        'NVML': {'gpu1 InforomImageVersion': 'CORRUPTED_INFOROM', 'gpu1 InforomConfigurationChecksum': 'CORRUPTED_INFOROM'},
        'nvidia-smi': {
            'gpu1 Inforom Version/Image Version': 'Corrupted infoROM',
            'gpu1 Inforom Version/OEM Object': 'Corrupted infoROM',
            'gpu1 Inforom Version/ECC Object': 'Corrupted infoROM',
            'gpu1 Inforom Version/Power Management Object': 'Corrupted infoROM',
        },
        'DCGM': {'gpu1 inforom valid': 'CORRUPTED_INFOROM'},
    }),
]
