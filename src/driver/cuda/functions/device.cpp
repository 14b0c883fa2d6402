// The GPUs that the process sees.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

#include "driver/cuda/call.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/generated/functions.hpp"

namespace nvmlkit::cuda::functions {
namespace {

// As much of a text as fits, and its end.
CUresult write_text(std::string_view text, char* buffer, int length) {
  if (length <= 0) return CUDA_ERROR_INVALID_VALUE;
  const auto size = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(buffer, text.data(), size);
  buffer[size] = '\0';
  return CUDA_SUCCESS;
}

CUuuid bytes_of(std::string_view text) {
  CUuuid out{};
  std::size_t half = 0;
  for (const char c : text.substr(std::min<std::size_t>(4, text.size()))) {  // behind "GPU-" or "MIG-"
    unsigned digit = 0;
    if (half == 2 * sizeof out.bytes) break;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc{}) continue;
    auto& byte = out.bytes[half / 2];
    byte = static_cast<char>(static_cast<unsigned char>(byte) << 4 | digit);
    ++half;
  }
  return out;
}

// 0 for what is no attribute or no number of 32 bits.
int value_of(const Device& device, CUdevice_attribute which) {
  return static_cast<int>(std::clamp<long long>(attribute_of(device, which), std::numeric_limits<int>::min(),
                                                std::numeric_limits<int>::max()));
}

// GPUs of one kind reach each other, MIG devices none.
bool are_peers(const Device& a, const Device& b) {
  const auto capability = [](const auto& gpu) {
    return 100 * number(gpu.compute_capability.major) + number(gpu.compute_capability.minor);
  };
  if (a.mig() || b.mig()) return false;
  return &a != &b && a.read(capability) == b.read(capability);
}

bool has_nvlink(const Device& device) {
  const auto& nvlink = device.machine().host().nvlink;
  return nvlink.links_per_gpu.value_or(0) > 0 || !nvlink.links.empty() || !nvlink.device_links.empty();
}

}  // namespace

CUresult DeviceGetCount(int* count) {
  *count = static_cast<int>(devices().size());
  return CUDA_SUCCESS;
}

CUresult DeviceGet(CUdevice* device, int ordinal) {
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult DeviceGetName(char* name, int len, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto text = device->read([&](const auto& gpu) -> sim::model::Text<128> {
    if (!device->mig()) return gpu.name.value.view();
    const auto part = sim::mig::find_device(gpu, *device->mig());
    return part ? sim::mig::name_of(gpu, *part) : sim::model::Text<128>{};
  });
  return write_text(text.view(), name, len);
}

// The GPU's own, of a MIG device too.
CUresult DeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto text = device->read([](const auto& gpu) { return gpu.uuid.value; });
  *uuid = bytes_of(text.view());
  return CUDA_SUCCESS;
}

CUresult DeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!device->mig()) return DeviceGetUuid(uuid, dev);
  const auto text = device->read([&](const auto& gpu) { return sim::mig::uuid_of(gpu, *device->mig()); });
  *uuid = bytes_of(text.view());
  return CUDA_SUCCESS;
}

CUresult DeviceTotalMem_v2(std::size_t* bytes, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = device->total_memory();
  return CUDA_SUCCESS;
}

CUresult DeviceTotalMem(unsigned int* bytes, CUdevice dev) {
  std::size_t all = 0;
  const auto result = DeviceTotalMem_v2(&all, dev);
  if (result == CUDA_SUCCESS)
    *bytes = static_cast<unsigned>(std::min<std::size_t>(all, std::numeric_limits<unsigned>::max()));
  return result;
}

CUresult DeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!attribute(device->machine(), device->gpu(), attrib)) return CUDA_ERROR_INVALID_VALUE;
  *pi = value_of(*device, attrib);
  return CUDA_SUCCESS;
}

CUresult DeviceGetProperties(CUdevprop* prop, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto value = [&](CUdevice_attribute which) { return value_of(*device, which); };
  prop->maxThreadsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  prop->maxThreadsDim[0] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  prop->maxThreadsDim[1] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  prop->maxThreadsDim[2] = value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  prop->maxGridSize[0] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  prop->maxGridSize[1] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  prop->maxGridSize[2] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  prop->sharedMemPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  prop->totalConstantMemory = value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  prop->SIMDWidth = value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  prop->memPitch = value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  prop->regsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  prop->clockRate = value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  prop->textureAlign = value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return CUDA_SUCCESS;
}

CUresult DeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *major = value_of(*device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  *minor = value_of(*device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  return CUDA_SUCCESS;
}

CUresult DeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  const auto wanted = sim::model::parse_pci_bus_id(pciBusId);
  if (!wanted) return CUDA_ERROR_INVALID_VALUE;
  for (const auto& device : devices())
    if (device->read([](const auto& gpu) { return gpu.pci.bus_id.value; }) == *wanted) {
      *dev = device->ordinal();
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_DEVICE;
}

CUresult DeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  const auto* device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  char text[32];
  const auto id = device->read([](const auto& gpu) { return gpu.pci.bus_id.value; });
  return write_text(sim::model::format_pci_bus_id(id, 4, text), pciBusId, len);
}

CUresult DeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  const auto *device = find_device(dev), *peer = find_device(peerDev);
  if (!device || !peer) return CUDA_ERROR_INVALID_DEVICE;
  *canAccessPeer = are_peers(*device, *peer);
  return CUDA_SUCCESS;
}

CUresult DeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
  const auto *from = find_device(srcDevice), *to = find_device(dstDevice);
  if (!from || !to || from == to) return CUDA_ERROR_INVALID_DEVICE;
  switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
      *value = are_peers(*from, *to);
      return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
      *value = are_peers(*from, *to) && has_nvlink(*from);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult DeviceGetExecAffinitySupport(int* pi, CUexecAffinityType type, CUdevice dev) {
  if (!find_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_INVALID_VALUE;
  *pi = 0;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
