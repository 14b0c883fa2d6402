"""Events by themselves, and calls that fail or are slow."""

from __future__ import annotations

from .row import Row

ROWS = [
    Row('fault gpu=1 event clock', 'b200', cells={
        'event': {'events': 'gpu1 Clock'},
    }),
    Row('fault gpu=1 event pstate', 'b200', cells={
        'event': {'events': 'gpu1 PState'},
    }),
    Row('fault gpu=1 event power-source', 'b200', cells={
        'event': {'events': 'gpu1 PowerSourceChange'},
    }),
    Row('fault gpu=1 event mig-config', 'b200', cells={
        'event': {'events': 'gpu1 MigConfigChange'},
    }),
    Row('fault gpu=1 event single-bit-storm', 'b200', cells={
        'event': {'events': 'gpu1 SingleBitEccErrorStorm'},
    }),
    Row('fault gpu=1 event dram-retirement', 'b200', cells={
        'event': {'events': 'gpu1 DramRetirementEvent'},
    }),
    Row('fault gpu=1 event dram-retirement-failure', 'b200', cells={
        'event': {'events': 'gpu1 DramRetirementFailure'},
    }),
    Row('fault gpu=1 event poison', 'b200', cells={
        'event': {'events': 'gpu1 NonFatalPoisonError'},
    }),
    Row('fault gpu=1 event fatal-poison', 'b200', cells={
        'event': {'events': 'gpu1 FatalPoisonError'},
    }),
    Row('fault gpu=1 event unavailable', 'b200', cells={
        'event': {'events': 'gpu1 GpuUnavailableError'},
    }),
    Row('fault gpu=1 event recovery-action', 'b200', cells={
        'event': {'events': 'gpu1 GpuRecoveryAction 0'},
    }),
    Row('fault gpu=1 fail nvmlDeviceGetPowerUsage GPU_IS_LOST', 'h100', cells={
        'NVML': {'gpu1 PowerUsage': 'GPU_IS_LOST'},
        'nvidia-smi': {'gpu1 GPU Power Readings/Power Draw': 'GPU is lost'},
        'DCGM': {'gpu1 power usage': 'GPU_IS_LOST'},
    }),
    Row('fault gpu=1 slow nvmlDeviceGetPowerUsage 1ms', 'h100'),
]
