"""NVLinks, NVSwitches and the fabric."""

from __future__ import annotations

from .row import Row

ROWS = [
    Row('fault gpu=1 nvlink 3 down', 'dgx-h100', cells={
        'NVML': {'gpu1 NvLinkState 3': '0', 'gpu1 NvLinkErrorCounter 3 1': '1'},
        'event': {'events': 'gpu1 Xid 74'},
        'field ids': {
            'gpu1 NVLINK_RECOVERY_ERROR_COUNT_L3': '1',
            'gpu1 NVLINK_RECOVERY_ERROR_COUNT_TOTAL': '1',
            'gpu1 NVLINK_SPEED_MBPS_L3': '0',
            'gpu1 NVSWITCH_CONNECTED_LINK_COUNT': '17',
            'gpu1 NVLINK_ERROR_DL_RECOVERY 3': '1',
            'gpu1 NVLINK_GET_STATE 3': '0',
        },
        'nvidia-smi': {'gpu1 nvlink -s/link 3': '<inactive>'},
        'log': {
            'messages': 'gpu1 UUID, board serial number, gpu1 Xid 74, nvidia-nvswitch0 SXid 20034 Fatal',
            'fabric manager': 'switch 0 port 8 20034 fatal',
        },
        'DCGM': {'gpu1 nvlink NVLINK_RECOVERY_ERROR_COUNT_TOTAL': '1', 'gpu1 nvlink state': '111011111111111111'},
    }),
    Row('fault gpu=1 nvlink 3 errors', 'dgx-h100', then='time advance 10s', cells={
        'NVML': {'gpu1 NvLinkErrorCounter 3 0': '10', 'gpu1 NvLinkErrorCounter 3 2': '10'},
        'event': {'events': 'gpu1 Xid 74'},
        'field ids': {
            'gpu1 NVLINK_CRC_FLIT_ERROR_COUNT_L3': '10',
            'gpu1 NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL': '10',
            'gpu1 NVLINK_REPLAY_ERROR_COUNT_L3': '10',
            'gpu1 NVLINK_REPLAY_ERROR_COUNT_TOTAL': '10',
            'gpu1 NVLINK_ERROR_DL_REPLAY 3': '10',
            'gpu1 NVLINK_ERROR_DL_CRC 3': '10',
        },
        'log': {
            'messages': 'gpu1 UUID, board serial number, gpu1 Xid 74, nvidia-nvswitch0 SXid 20009 Non-fatal',
            'fabric manager': 'switch 0 port 8 20009 non-fatal',
        },
        'DCGM': {'gpu1 nvlink NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL': '10', 'gpu1 nvlink NVLINK_REPLAY_ERROR_COUNT_TOTAL': '10'},
    }),
    Row('fault gpu=1 nvlink 3 down', 'b200', cells={
        'NVML': {'gpu1 NvLinkState 3': '0'},
        'event': {'events': 'gpu1 Xid 149'},
        'field ids': {
            'gpu1 NVLINK_SPEED_MBPS_L3': '0',
            'gpu1 NVSWITCH_CONNECTED_LINK_COUNT': '17',
            'gpu1 NVLINK_GET_STATE 3': '0',
            'gpu1 NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS': '1',
            'gpu1 NVLINK_COUNT_LINK_RECOVERY_EVENTS': '1',
        },
        'nvidia-smi': {'gpu1 nvlink -s/link 3': '<inactive>'},
        'log': {'messages': 'gpu1 UUID, board serial number, gpu1 Xid 149'},
        'DCGM': {'gpu1 nvlink NVLINK_COUNT_LINK_RECOVERY_EVENTS': '1', 'gpu1 nvlink state': '111011111111111111'},
    }),
    Row('fault gpu=1 nvlink 3 errors', 'b200', then='time advance 10s', cells={
        'event': {'events': 'gpu1 Xid 149'},
        'field ids': {
            'gpu1 NVLINK_COUNT_RCV_ERRORS': '10',
            'gpu1 NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS': '10',
            'gpu1 NVLINK_COUNT_EFFECTIVE_ERRORS': '10',
            'gpu1 NVLINK_COUNT_SYMBOL_ERRORS': '10',
            'gpu1 NVLINK_COUNT_FEC_HISTORY_1': '10',
        },
        'log': {'messages': 'gpu1 UUID, board serial number, gpu1 Xid 149'},
        'DCGM': {
            'gpu1 nvlink NVLINK_COUNT_RCV_ERRORS': '10',
            'gpu1 nvlink NVLINK_COUNT_EFFECTIVE_ERRORS': '10',
            'gpu1 nvlink NVLINK_COUNT_SYMBOL_ERRORS': '10',
        },
    }),
    Row('fault nvswitch=1 sxid 12028 32', 'dgx-h100', cells={
        'log': {'messages': 'nvidia-nvswitch1 SXid 12028 Non-fatal', 'fabric manager': 'switch 1 port 32 12028 non-fatal'},
    }),
    Row('fault nic=mlx5_0 down', 'dgx-h100', cells={
        'InfiniBand': {
            'sys/devices/pci0000:15/0000:18:00.0/infiniband/mlx5_0/ports/1/rate': '10 Gb/sec (4X SDR)',
            'sys/devices/pci0000:15/0000:18:00.0/infiniband/mlx5_0/ports/1/phys_state': '2: Polling',
            'sys/devices/pci0000:15/0000:18:00.0/infiniband/mlx5_0/ports/1/state': '1: DOWN',
            'sys/devices/pci0000:15/0000:18:00.0/infiniband/mlx5_0/ports/1/counters/link_downed': '1',
        },
    }),
    Row('fault nic=mlx5_0 errors rnr_nak_retry_err --count 3', 'dgx-h100', cells={
        'InfiniBand': {'sys/devices/pci0000:15/0000:18:00.0/infiniband/mlx5_0/ports/1/hw_counters/rnr_nak_retry_err': '3'},
    }),
    Row('fault gpu=1 fabric degraded-bandwidth', 'b200', cells={
        'NVML': {
            'gpu1 GpuFabricInfoV healthMask': '129',
            'gpu1 GpuFabricInfoV healthSummary': '3',
            'gpu1 GpuFabricInfo_v4 healthMask': '129',
            'gpu1 GpuFabricInfo_v4 healthSummary': '3',
        },
        'nvidia-smi': {'gpu1 Fabric/Health/Bandwidth': 'Degraded'},
        'DCGM': {'gpu1 fabric healthMask': '129', 'gpu1 fabric healthSummary': '3'},
    }),
    Row('fault gpu=1 fabric route-recovery', 'b200', cells={
        'NVML': {
            'gpu1 GpuFabricInfoV healthMask': '132',
            'gpu1 GpuFabricInfoV healthSummary': '2',
            'gpu1 GpuFabricInfo_v4 healthMask': '132',
            'gpu1 GpuFabricInfo_v4 healthSummary': '2',
        },
        'DCGM': {'gpu1 fabric healthMask': '132', 'gpu1 fabric healthSummary': '2'},
    }),
    Row('fault gpu=1 fabric route-unhealthy', 'b200', cells={
        'NVML': {
            'gpu1 GpuFabricInfoV healthMask': '144',
            'gpu1 GpuFabricInfoV healthSummary': '2',
            'gpu1 GpuFabricInfo_v4 healthMask': '144',
            'gpu1 GpuFabricInfo_v4 healthSummary': '2',
        },
        'DCGM': {'gpu1 fabric healthMask': '144', 'gpu1 fabric healthSummary': '2'},
    }),
    Row('fault gpu=1 fabric access-timeout', 'b200', cells={
        'NVML': {
            'gpu1 GpuFabricInfoV healthMask': '64',
            'gpu1 GpuFabricInfoV healthSummary': '2',
            'gpu1 GpuFabricInfo_v4 healthMask': '64',
            'gpu1 GpuFabricInfo_v4 healthSummary': '2',
        },
        'DCGM': {'gpu1 fabric healthMask': '64', 'gpu1 fabric healthSummary': '2'},
    }),
]
