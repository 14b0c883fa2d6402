"""Fields of the machine, with `nvmlkit set`."""

from __future__ import annotations

from .row import Row

ROWS = [
    Row('set gpu=1 pcie.current_link_gen=3', 'h100', cells={
        'NVML': {'gpu1 CurrPcieLinkGeneration': '3', 'gpu1 PcieSpeed': '8000'},
        'nvidia-smi': {
            'gpu1 PCI/GPU Link Info/PCIe Generation/Current': '3',
            'gpu1 PCI/GPU Link Info/PCIe Generation/Device Current': '3',
        },
        '/sys': {
            'sys/devices/pci0000:64/gpu1/config': 'binary, checksum 09fa1250',
            'sys/devices/pci0000:64/gpu1/current_link_speed': '8.0 GT/s PCIe',
        },
        'DCGM': {'gpu1 pcie link': '3 x16'},
    }),
    Row('set gpu=1 pcie.current_link_width=8', 'h100', cells={
        'NVML': {'gpu1 CurrPcieLinkWidth': '8'},
        'nvidia-smi': {'gpu1 PCI/GPU Link Info/Link Width/Current': '8x'},
        '/sys': {
            'sys/devices/pci0000:64/gpu1/config': 'binary, checksum e8d0af01',
            'sys/devices/pci0000:64/gpu1/current_link_width': '8',
        },
        'DCGM': {'gpu1 pcie link': '5 x8'},
    }),
    Row('set gpu=1 thermal.gpu=85', 'h100', cells={
        'NVML': {'gpu1 TemperatureV temperature': '85', 'gpu1 MarginTemperature': '2'},
        'field ids': {'gpu1 MEMORY_TEMP': '63'},
        'nvidia-smi': {
            'gpu1 Temperature/GPU Current Temp': '85 C',
            'gpu1 Temperature/GPU T.Limit Temp': '2 C',
            'gpu1 Temperature/Memory Current Temp': '63 C',
        },
        'DCGM': {'gpu1 thermal temperature': '85'},
    }),
    Row('set gpu=1 utilization.gpu=50', 'h100', cells={
        'NVML': {
            'gpu1 ClockInfo 0': '1980',
            'gpu1 ClockInfo 1': '1980',
            'gpu1 ClockInfo 3': '1545',
            'gpu1 CurrentClocksEventReasons': '0',
            'gpu1 UtilizationRates gpu': '50',
        },
        'field ids': {'gpu1 NVLINK_GET_POWER_STATE': '0', 'gpu1 POWER_INSTANT': '371850'},
        'nvidia-smi': {
            'gpu1 Clocks Event Reasons/Idle': 'Not Active',
            'gpu1 Utilization/Gpu': '50 %',
            'gpu1 GPU Memory Power Readings/Power Draw': '60.24 W',
            'gpu1 Clocks/Graphics': '1980 MHz',
            'gpu1 Clocks/SM': '1980 MHz',
            'gpu1 Clocks/Video': '1545 MHz',
        },
    }),
    Row('set gpu=1 power.current_draw_mw=500000', 'h100', cells={
        'NVML': {'gpu1 PowerUsage': '500000'},
        'field ids': {'gpu1 POWER_INSTANT': '500350'},
        'nvidia-smi': {'gpu1 GPU Power Readings/Power Draw': '500.00 W', 'gpu1 GPU Memory Power Readings/Power Draw': '71.81 W'},
        'DCGM': {'gpu1 power usage': '500000'},
    }),
    Row('set gpu=1 vbios_version=96.00.61.00.03', 'h100', cells={
        'NVML': {'gpu1 VbiosVersion': '96.00.61.00.03'},
        'nvidia-smi': {'gpu1 VBIOS Version': '96.00.61.00.03'},
        '/proc': {'proc/driver/nvidia/gpus/gpu1/information/Video BIOS': '96.00.61.00.03'},
    }),
    Row('set gpu=1 numa_node_id=1', 'h100', cells={
        'NVML': {'gpu1 NumaNodeId': '1'},
    }),
    Row('set gpu=1 irq_num=77', 'h100', cells={
        'NVML': {'gpu1 IrqNum': '77'},
        '/proc': {'proc/driver/nvidia/gpus/gpu1/information/IRQ': '77'},
        '/sys': {'sys/devices/pci0000:64/gpu1/irq': '77'},
    }),
    Row('set gpu=1 minor_number=7', 'h100', cells={
        'NVML': {'gpu1 MinorNumber': '7'},
        'nvidia-smi': {'gpu1 Minor Number': '7'},
        '/proc': {'proc/driver/nvidia/gpus/gpu1/information/Device Minor': '7'},
        '/dev': {'dev/nvidia1': 'gone', 'list /dev/nvidia1': 'gone', 'dev/nvidia7': 'new', 'list /dev/nvidia7': 'new'},
        'CDI': {'1': '/dev/nvidia7', 'gpu1': '/dev/nvidia7', 'all': '/dev/nvidia0 /dev/nvidia2 /dev/nvidia7'},
    }),
    Row('set gpu=all fabric.state=in_progress', 'b200', cells={
        'NVML': {
            'gpu0 GpuFabricInfo state': '2',
            'gpu0 GpuFabricInfoV state': '2',
            'gpu0 GpuFabricInfo_v4 state': '2',
            'gpu0 GpuFabricInfo_v4 cliques': '(empty)',
            'gpu0 GpuFabricInfo_v4 numCliques': '0',
            'gpu1 GpuFabricInfo state': '2',
            'gpu1 GpuFabricInfoV state': '2',
            'gpu1 GpuFabricInfo_v4 state': '2',
            'gpu1 GpuFabricInfo_v4 cliques': '(empty)',
            'gpu1 GpuFabricInfo_v4 numCliques': '0',
            'gpu2 GpuFabricInfo state': '2',
            'gpu2 GpuFabricInfoV state': '2',
            'gpu2 GpuFabricInfo_v4 state': '2',
            'gpu2 GpuFabricInfo_v4 cliques': '(empty)',
            'gpu2 GpuFabricInfo_v4 numCliques': '0',
        },
        'nvidia-smi': {
            'gpu0 Fabric/State': 'In Progress',
            'gpu0 Fabric/Status': 'N/A',
            'gpu0 Fabric/CliqueId': 'N/A',
            'gpu0 Fabric/ClusterUUID': 'N/A',
            'gpu1 Fabric/State': 'In Progress',
            'gpu1 Fabric/Status': 'N/A',
            'gpu1 Fabric/CliqueId': 'N/A',
            'gpu1 Fabric/ClusterUUID': 'N/A',
            'gpu2 Fabric/State': 'In Progress',
            'gpu2 Fabric/Status': 'N/A',
            'gpu2 Fabric/CliqueId': 'N/A',
            'gpu2 Fabric/ClusterUUID': 'N/A',
        },
        'log': {
            'fabric manager': 'without: [INFO] [tid 1584] Successfully configured all the available GPUs and NVSwitches to route NVLink traffic. NVLink Peer-to-Peer support will be enabled once the GPUs are successfully registered with the NVLink fabric.',
        },
        'DCGM': {'gpu0 fabric state': '2', 'gpu1 fabric state': '2', 'gpu2 fabric state': '2'},
    }),
    Row('set gpu=1 fabric.clique_id=7', 'b200', cells={
        'NVML': {
            'gpu1 GpuFabricInfo cliqueId': '7',
            'gpu1 GpuFabricInfoV cliqueId': '7',
            'gpu1 GpuFabricInfo_v4 cliques': '0:7 1:7 2:7 3:7',
        },
        'nvidia-smi': {'gpu1 Fabric/CliqueId': '7'},
    }),
    Row('set gpu=1 adaptive_tgp.requested=enabled', 'rubin', cells={
        'NVML': {
            'gpu1 AdaptiveTgpModeInfo inBandEnableRequest': '1',
            'gpu1 AdaptiveTgpModeInfo enablementStatus': '1',
            'gpu1 AdaptiveTgpModeInfo adjustedLimitMw': '1000000',
        },
    }),
]
