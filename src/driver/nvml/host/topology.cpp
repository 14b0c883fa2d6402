#include "driver/nvml/host/topology.hpp"

#include <algorithm>

#include "driver/nvml/call/call.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/library/enumeration.hpp"
#include "sim/links/links.hpp"
#include "sim/mig/instances.hpp"
#include "sim/topology/affinity.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::driver {

abi::nvmlGpuTopologyLevel_t common_ancestor(const sim::Machine& machine, const sim::model::Gpu& a,
                                            const sim::model::Gpu& b) {
  if (&a == &b) return abi::NVML_TOPOLOGY_INTERNAL;
  const auto otherwise = std::max(a.topology.default_level.value_or(abi::NVML_TOPOLOGY_SYSTEM),
                                  b.topology.default_level.value_or(abi::NVML_TOPOLOGY_SYSTEM));
  return static_cast<abi::nvmlGpuTopologyLevel_t>(
      sim::topology::distance(machine, *a.pci.bus_id, *b.pci.bus_id, otherwise));
}

namespace functions {
namespace {

// Hands out the GPUs that `wanted` says, as far as the caller's room goes, and tells how many. Count 0 asks how many
// there are, and is no error.
template <class Wanted>
nvmlReturn_t list_gpus(const Machine& machine, unsigned int* count, nvmlDevice_t* devices, Wanted wanted) {
  const auto gpus = machine.gpus();
  const auto room = *count;
  if ((room > 0) != (devices != nullptr)) return NVML_ERROR_INVALID_ARGUMENT;
  unsigned int found = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!is_visible(machine, i) || !wanted(gpus[i])) continue;
    if (found < room) devices[found] = handle_of(i);
    ++found;
  }
  *count = room == 0 ? found : std::min(room, found);
  return NVML_SUCCESS;
}

bool is_geforce(const Gpu& gpu) {
  const auto brand = gpu.brand.value_or(NVML_BRAND_UNKNOWN);
  return brand == NVML_BRAND_GEFORCE || brand == NVML_BRAND_GEFORCE_RTX || brand == NVML_BRAND_TITAN ||
         brand == NVML_BRAND_TITAN_RTX;
}

// NVLink carries everything. Over PCIe there are no atomics, and drivers allow GeForce GPUs nothing.
nvmlGpuP2PStatus_t p2p_status(const Machine& machine, const Gpu& a, const Gpu& b, nvmlGpuP2PCapsIndex_t index) {
  if (a.architecture.value_or(0) != b.architecture.value_or(0)) return NVML_P2P_STATUS_GPU_NOT_SUPPORTED;
  if (sim::mig::enabled(a) || sim::mig::enabled(b)) return NVML_P2P_STATUS_NOT_SUPPORTED;
  const bool nvlink = sim::links::between(a, b, machine.index_of(b)) > 0;
  if (index == NVML_P2P_CAPS_INDEX_NVLINK) return nvlink ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
  if (index == NVML_P2P_CAPS_INDEX_PCI || !nvlink) {
    if (is_geforce(a)) return NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED;
    return index == NVML_P2P_CAPS_INDEX_ATOMICS ? NVML_P2P_STATUS_NOT_SUPPORTED : NVML_P2P_STATUS_OK;
  }
  return NVML_P2P_STATUS_OK;
}

}  // namespace

nvmlReturn_t DeviceGetTopologyCommonAncestor(const Machine& machine, const Gpu& gpu, nvmlDevice_t device2,
                                             nvmlGpuTopologyLevel_t* pathInfo) {
  const auto* other = find_gpu(machine, device2);
  if (!other) return NVML_ERROR_INVALID_ARGUMENT;
  *pathInfo = common_ancestor(machine, gpu, *other);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetTopologyNearestGpus(const Machine& machine, const Gpu& gpu, nvmlGpuTopologyLevel_t level,
                                          unsigned int* count, nvmlDevice_t* deviceArray) {
  return list_gpus(machine, count, deviceArray,
                   [&](const Gpu& other) { return &other != &gpu && common_ancestor(machine, gpu, other) == level; });
}

nvmlReturn_t SystemGetTopologyGpuSet(const Machine& machine, unsigned int cpuNumber, unsigned int* count,
                                     nvmlDevice_t* deviceArray) {
  using namespace sim::topology;
  const auto room = *count;
  const auto result = list_gpus(machine, count, deviceArray, [&](const Gpu& gpu) {
    return cpuNumber < kMaxCpus && cpus_near(machine, gpu, Scope::node).test(cpuNumber);
  });
  if (room > 0) *count = room;  // a driver 580 leaves the caller's count, and the rest of the array, as they are
  return result;
}

nvmlReturn_t DeviceGetP2PStatus(const Machine& machine, const Gpu& gpu, nvmlDevice_t device2,
                                nvmlGpuP2PCapsIndex_t p2pIndex, nvmlGpuP2PStatus_t* p2pStatus) {
  const auto* other = find_gpu(machine, device2);
  if (!other) return NVML_ERROR_INVALID_ARGUMENT;
  // NVIDIA's Python module calls 6 the unknown one. A GPU is no peer of itself.
  if (p2pIndex >= NVML_P2P_CAPS_INDEX_UNKNOWN)
    *p2pStatus = other == &gpu ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_UNKNOWN;
  else
    *p2pStatus = other == &gpu ? NVML_P2P_STATUS_NOT_SUPPORTED : p2p_status(machine, gpu, *other, p2pIndex);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceOnSameBoard(const Machine& machine, const Gpu& gpu, nvmlDevice_t device2, int* onSameBoard) {
  const auto* other = find_gpu(machine, device2);
  if (!other) return NVML_ERROR_INVALID_ARGUMENT;
  *onSameBoard = &gpu == other || (gpu.board_id && gpu.board_id == other->board_id) ? 1 : 0;
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
