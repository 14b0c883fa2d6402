// MIG devices: handles, and the functions that accept them.
#include <algorithm>
#include <cstring>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/library/enumeration.hpp"
#include "driver/nvml/mig/handles.hpp"
#include "sim/processes/occupants.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceIsMigDeviceHandle(const Machine&, const Gpu&, unsigned int* isMigDevice) {
  *isMigDevice = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetMigDeviceHandleByIndex(const Machine& machine, const Gpu& gpu, unsigned int index,
                                             nvmlDevice_t* migDevice) {
  if (!sim::mig::supported(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  // While MIG is off, a driver 580 does not look at the index.
  if (sim::mig::enabled(gpu) && index >= sim::mig::max_devices(gpu)) return NVML_ERROR_INVALID_ARGUMENT;
  const auto device = mig_device_at(gpu, index);
  if (!device) return NVML_ERROR_NOT_FOUND;
  *migDevice = mig_handle_of(index_of(machine, gpu), device->id());
  return NVML_SUCCESS;
}

// A GPU is no MIG device.
nvmlReturn_t DeviceGetDeviceHandleFromMigDeviceHandle(const Machine&, const Gpu&, nvmlDevice_t*) {
  return NVML_ERROR_INVALID_ARGUMENT;
}

namespace on_mig {
namespace {

// Runs `tell(device)` on the device; one that has gone meanwhile is no valid argument.
template <class Tell>
nvmlReturn_t with(const Gpu& gpu, DeviceId id, Tell tell) {
  const auto device = sim::mig::find_device(gpu, id);
  return device ? tell(*device) : NVML_ERROR_INVALID_ARGUMENT;
}

bool counts_errors(const Gpu& gpu) {
  return gpu.ecc.mode_current && *gpu.ecc.mode_current == sim::model::EnableState::enabled;
}

// Of an instance only what is not DRAM, not corrected and volatile is counted.
nvmlReturn_t errors(const Gpu& gpu, DeviceId id, nvmlMemoryErrorType_t type, nvmlEccCounterType_t period,
                    unsigned long long* count) {
  if (!counts_errors(gpu) || type != NVML_MEMORY_ERROR_TYPE_UNCORRECTED || period != NVML_VOLATILE_ECC)
    return NVML_ERROR_NOT_SUPPORTED;
  return with(gpu, id, [&](const sim::mig::Device& device) {
    *count = device.instance->sram_uncorrectable.value_or(0);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t attributes(const Gpu& gpu, DeviceId id, nvmlDeviceAttributes_t& out) {
  return with(gpu, id, [&](const sim::mig::Device& device) {
    const auto& profile = *device.profile;
    out.multiprocessorCount = device.compute_profile.sm;
    out.sharedCopyEngineCount = profile.ce.value_or(0);
    out.sharedDecoderCount = profile.dec.value_or(0);
    out.sharedEncoderCount = profile.enc.value_or(0);
    out.sharedJpegCount = profile.jpeg.value_or(0);
    out.sharedOfaCount = profile.ofa.value_or(0);
    out.gpuInstanceSliceCount = sim::mig::compute_slices(profile);
    out.computeInstanceSliceCount = device.compute_profile.slices;
    out.memorySizeMB = profile.memory_mib.value_or(0);
    return NVML_SUCCESS;
  });
}

}  // namespace

nvmlReturn_t DeviceIsMigDeviceHandle(const Machine&, const Gpu&, DeviceId, unsigned int* isMigDevice) {
  *isMigDevice = 1;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetGpuInstanceId(const Machine&, const Gpu&, DeviceId mig, unsigned int* id) {
  *id = mig.instance;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetComputeInstanceId(const Machine&, const Gpu&, DeviceId mig, unsigned int* id) {
  *id = mig.compute;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetDeviceHandleFromMigDeviceHandle(const Machine& machine, const Gpu& gpu, DeviceId,
                                                      nvmlDevice_t* device) {
  *device = handle_of(index_of(machine, gpu));
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetIndex(const Machine&, const Gpu& gpu, DeviceId mig, unsigned int* index) {
  const auto found = index_of_mig_device(gpu, mig);
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  *index = *found;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetName(const Machine&, const Gpu& gpu, DeviceId mig, char* name, unsigned int length) {
  return with(gpu, mig, [&](const sim::mig::Device& device) {
    return write_text(sim::mig::name_of(gpu, device).view(), name, length);
  });
}

nvmlReturn_t DeviceGetUUID(const Machine&, const Gpu& gpu, DeviceId mig, char* uuid, unsigned int length) {
  return write_text(sim::mig::uuid_of(gpu, mig).view(), uuid, length);
}

nvmlReturn_t DeviceGetAttributes_v2(const Machine&, const Gpu& gpu, DeviceId mig, nvmlDeviceAttributes_t* attributes) {
  return on_mig::attributes(gpu, mig, *attributes);
}

// The first version ends before the slice counts.
nvmlReturn_t DeviceGetAttributes(const Machine&, const Gpu& gpu, DeviceId mig, nvmlDeviceAttributes_t* attributes) {
  nvmlDeviceAttributes_t all{};
  const auto result = on_mig::attributes(gpu, mig, all);
  if (result == NVML_SUCCESS) std::memcpy(attributes, &all, offsetof(nvmlDeviceAttributes_t, gpuInstanceSliceCount));
  return result;
}

nvmlReturn_t DeviceGetMemoryInfo_v2(const Machine& machine, const Gpu& gpu, DeviceId mig, nvmlMemory_v2_t* memory) {
  return with(gpu, mig, [&](const sim::mig::Device& device) {
    memory->total = device.profile->memory_mib.value_or(0) << 20;
    memory->reserved = 0;
    memory->used = sim::processes::used_bytes(machine, gpu, *device.instance);
    memory->free = memory->total - std::min(memory->total, memory->used);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceGetMemoryInfo(const Machine& machine, const Gpu& gpu, DeviceId mig, nvmlMemory_t* memory) {
  nvmlMemory_v2_t info{};
  const auto result = DeviceGetMemoryInfo_v2(machine, gpu, mig, &info);
  if (result == NVML_SUCCESS) *memory = {info.total, info.free, info.used};
  return result;
}

nvmlReturn_t DeviceGetBAR1MemoryInfo(const Machine&, const Gpu& gpu, DeviceId mig, nvmlBAR1Memory_t* bar1Memory) {
  return with(gpu, mig, [&](const sim::mig::Device& device) {
    const auto total = sim::mig::bar1_bytes(gpu, *device.profile);
    *bar1Memory = {total, total, 0};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceGetTotalEccErrors(const Machine&, const Gpu& gpu, DeviceId mig, nvmlMemoryErrorType_t errorType,
                                     nvmlEccCounterType_t counterType, unsigned long long* eccCounts) {
  return errors(gpu, mig, errorType, counterType, eccCounts);
}

nvmlReturn_t DeviceGetMemoryErrorCounter(const Machine&, const Gpu& gpu, DeviceId mig, nvmlMemoryErrorType_t errorType,
                                         nvmlEccCounterType_t counterType, nvmlMemoryLocation_t locationType,
                                         unsigned long long* count) {
  if (locationType != NVML_MEMORY_LOCATION_SRAM) return NVML_ERROR_NOT_SUPPORTED;
  return errors(gpu, mig, errorType, counterType, count);
}

}  // namespace on_mig
}  // namespace nvmlkit::driver::functions
