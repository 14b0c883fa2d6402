"""Calls every function of the pynvml that Python finds, once, with arguments that fit: prints "NAME ANSWER" for each.

The answer is the type of the value, `error-N`, or `python-NAME` where pynvml itself stumbles, before or after the call. Runs
with the Python that the module belongs to, in a process of its own, because a function may take it down."""

import inspect
from ctypes import c_int, c_uint, create_string_buffer, pointer

import pynvml

pynvml.nvmlInit()
count = pynvml.nvmlDeviceGetCount()
gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
last = pynvml.nvmlDeviceGetHandleByIndex(count - 1)  # the one that gets MIG


def or_none(action):
    """What is not there is None, and a function that needs it says so."""
    try:
        return action()
    except (pynvml.NVMLError, IndexError, TypeError, AttributeError):
        return None


def instance_of_mig():
    pynvml.nvmlDeviceSetMigMode(last, 1)
    profile = pynvml.nvmlDeviceGetGpuInstanceProfileInfo(last, 0)
    return pynvml.nvmlDeviceCreateGpuInstance(last, profile.id)


def structure(name, **values):
    made = getattr(pynvml, name)()
    for field, value in values.items():
        setattr(made, field, value)
    return made


def metrics_get():
    made = structure("c_nvmlGpmMetricsGet_t", version=1, numMetrics=1)
    made.metrics[0].metricId = 2
    made.sample1, made.sample2 = (pynvml.nvmlGpmSampleAlloc(), pynvml.nvmlGpmSampleAlloc())
    for sample in (made.sample1, made.sample2):
        pynvml.nvmlGpmSampleGet(gpu, sample)
    return made


gpu_instance = or_none(instance_of_mig)
compute_instance = or_none(lambda: pynvml.nvmlGpuInstanceCreateComputeInstance(gpu_instance, 0)) if gpu_instance else None
vgpu = or_none(lambda: pynvml.nvmlDeviceGetActiveVgpus(gpu)[0])
events = pynvml.nvmlEventSetCreate()
memory_clock = or_none(lambda: pynvml.nvmlDeviceGetSupportedMemoryClocks(gpu)[0]) or 0
clock = or_none(lambda: pynvml.nvmlDeviceGetSupportedGraphicsClocks(gpu, memory_clock)[0]) or 0
unit = or_none(lambda: pynvml.nvmlUnitGetHandleByIndex(0))
memory = or_none(lambda: pynvml.nvmlDeviceGetMemoryInfo(gpu)) or pynvml.c_nvmlMemory_t()

# By the name of the parameter; where several functions mean something else by it, by FUNCTION.PARAMETER too.
ARGUMENTS = {
    "handle": gpu, "device": gpu, "handle1": gpu, "handle2": last, "device1": gpu, "device2": last, "migDevice": last,
    "gpuInstance": gpu_instance, "computeInstance": compute_instance, "unit": unit, "eventSet": events,
    "vgpuInstance": vgpu, "vgpuTypeId": or_none(lambda: pynvml.nvmlDeviceGetSupportedVgpus(gpu)[0]),
    "vgpuMetadata": or_none(lambda: pynvml.nvmlVgpuInstanceGetMetadata(vgpu)) or structure("c_nvmlVgpuMetadata_t"),
    "pgpuMetadata": or_none(lambda: pynvml.nvmlDeviceGetVgpuMetadata(gpu)) or structure("c_nvmlVgpuPgpuMetadata_t"),
    "gpmSample": or_none(pynvml.nvmlGpmSampleAlloc), "metricsGet": or_none(metrics_get) or structure("c_nvmlGpmMetricsGet_t"),
    "pciInfo": pynvml.nvmlDeviceGetPciInfo(gpu), "uuid": pynvml.nvmlDeviceGetUUID(gpu),
    "serial": or_none(lambda: pynvml.nvmlDeviceGetSerial(gpu)), "pciBusId": pynvml.nvmlDeviceGetPciInfo(gpu).busId,
    "fieldIds": [pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION], "eventTypes": pynvml.nvmlEventTypeXidCriticalError,
    "cpuSetSize": 4, "nodeSetSize": 4, "c_nonce": [0] * 32,
    "limit": or_none(lambda: pynvml.nvmlDeviceGetPowerManagementLimit(gpu)) or 100000, "level": 0, "version": 2, "timeoutms": 1,
    "maxGraphicsClockMHz": clock, "minGpuClockMHz": clock, "maxGpuClockMHz": clock, "maxMemClockMHz": memory_clock,
    "minMemClockMHz": memory_clock, "nvmlDeviceSetMemoryLockedClocks.maxMemClockMHz": memory_clock,
    "placementsRef": (pynvml.c_nvmlComputeInstancePlacement_t * 32)(), "result": 3, "nvmlErrorCode": 3, "profileId": 0,
    "computeInstancesRef": (pynvml.c_nvmlComputeInstance_t * 8)(), "gpuInstancesRef": (pynvml.c_nvmlGpuInstance_t * 8)(),
    "struct": memory,
    "obj": pynvml.nvmlStructToFriendlyObject(memory),
    "memoryClockMHz": memory_clock,
    "nvmlDeviceSetDriverModel.model": 0, "nvmlFriendlyObjectToStruct.model": pynvml.c_nvmlMemory_t,
    "nvmlDeviceGetGspFirmwareVersion.version": create_string_buffer(80),
    "nvmlDeviceGetRunningProcessDetailList.version": getattr(pynvml, "nvmlProcessDetailList_v1", 0),
    "nvmlGpuInstanceGetComputeInstanceProfileInfo.device": gpu_instance,
    "nvmlGpuInstanceGetComputeInstanceProfileInfoV.device": gpu_instance,
    "nvmlGpuInstanceGetComputeInstanceById.computeInstanceId": 0, "nvmlGpmMigSampleGet.device": last,
    "nvmlGpmMigSampleGet.gpuInstanceId": or_none(lambda: pynvml.nvmlGpuInstanceGetInfo(gpu_instance).id) or 0,
    "nvmlDeviceGetFanControlPolicy_v2.fanControlPolicy": pointer(c_uint()),
}  # fmt: skip
# Structures that the caller makes. Not every version of pynvml has all of them.
STRUCTURES = {
    "c_dynamicpstatesinfo": "c_nvmlGpuDynamicPstatesInfo_t", "c_thermalsettings": "c_nvmlGpuThermalSettings_t",
    "nvmlDeviceGetGpuFabricInfo.gpuFabricInfo": "c_nvmlGpuFabricInfo_t", "c_clkMonInfo": "c_nvmlClkMonStatus_t",
    "nvmlDeviceGetGpuFabricInfoV.gpuFabricInfo": "c_nvmlGpuFabricInfoV_t", "vgpuVersion": "c_nvmlVgpuVersion_t",
    "supported": "c_nvmlVgpuVersion_t", "current": "c_nvmlVgpuVersion_t", "c_info": "nvmlPciInfoExt_v1_t",
    "settings": "c_nvmlSystemConfComputeSettings_v1_t", "sched_state": "c_nvmlVgpuSchedulerSetState_t",
    "status": "c_nvmlEccSramErrorStatus_v1_t", "placement": "c_nvmlGpuInstancePlacement_t",
}  # fmt: skip
for name, make in STRUCTURES.items():
    if hasattr(pynvml, make):
        ARGUMENTS[name] = pointer(structure(make))
ARGUMENTS["placement"].contents.size = 1
for name in ("minClockMHz", "maxClockMHz", "minSpeed", "maxSpeed", "countRef", "isEnabled", "defaultMode"):
    ARGUMENTS[name] = pointer(c_uint(8))
for name in ("minOffset", "maxOffset"):
    ARGUMENTS[name] = pointer(c_int())

# Looking first, then changing, then what ends something.
ENDS = ("Destroy", "Free", "RemoveGpu", "Shutdown")
CHANGES = ("Set", "Reset", "Clear", "Modify", "Create", "Freeze", "Discover")


def rank(name):
    verb = name.removeprefix("nvml")
    return any(word in verb for word in ENDS), any(word in verb and f"Get{word}" not in verb for word in CHANGES), name


functions = {name: value for name, value in vars(pynvml).items() if name.startswith("nvml") and inspect.isfunction(value)}
for name in sorted(functions, key=rank):
    parameters = [p for p in inspect.signature(functions[name]).parameters.values() if p.default is p.empty]
    arguments = [ARGUMENTS.get(f"{name}.{p.name}", ARGUMENTS.get(p.name, 0)) for p in parameters]
    print(name, end=" ", flush=True)
    try:
        print(type(functions[name](*arguments)).__name__, flush=True)
    except pynvml.NVMLError as error:
        print(f"error-{error.value}", flush=True)
    except Exception as error:
        print(f"python-{type(error).__name__}", flush=True)
    if name == "nvmlShutdown":
        pynvml.nvmlInit()
