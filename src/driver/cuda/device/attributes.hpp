// Attributes of a GPU. registry/cuda/attributes.yaml defines the source of each.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/generated/api.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cuda {

// Nothing for what is no attribute of this driver.
std::optional<long long> attribute(const sim::Machine& machine, const sim::model::Gpu& gpu, CUdevice_attribute which);

// The same of a device, which may be part of a GPU, or 0.
long long attribute_of(const Device& device, CUdevice_attribute which);

// 0 where the GPU lacks it.
template <class T>
long long number(const sim::model::Field<T>& field) {
  return field ? static_cast<long long>(*field) : 0;
}

// The entry of the GPU's compute capability, 10 * major + minor, or of the nearest one below; the entries ascend.
long long by_capability(const sim::model::Gpu& gpu, std::initializer_list<std::pair<int, long long>> entries);

// The answer of a driver of that CUDA version (1000 * major + 10 * minor) and newer ones.
std::optional<long long> since(int version, const sim::Machine& machine, long long answer);

// Those that are more than a look.
namespace attributes {

long long MULTIPROCESSOR_COUNT(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long MAX_PERSISTING_L2_CACHE_SIZE(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long PCI_BUS_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long PCI_DEVICE_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long PCI_DOMAIN_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long MULTI_GPU_BOARD_GROUP_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long MPS_ENABLED(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long NUMA_CONFIG(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long NUMA_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long HOST_NUMA_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long GPU_PCI_DEVICE_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);
long long GPU_PCI_SUBSYSTEM_ID(const sim::Machine& machine, const sim::model::Gpu& gpu);

}  // namespace attributes
}  // namespace nvmlkit::cuda
