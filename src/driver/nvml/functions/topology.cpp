#include "driver/nvml/topology.hpp"

#include <algorithm>

#include "driver/nvml/call.hpp"
#include "driver/nvml/enumeration.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/read.hpp"

namespace nvmlkit::driver {

abi::nvmlGpuTopologyLevel_t common_ancestor(const sim::model::Gpu& a, const sim::model::Gpu& b) {
  if (&a == &b) return abi::NVML_TOPOLOGY_INTERNAL;
  const auto level = std::max(a.topology.default_level.value_or(abi::NVML_TOPOLOGY_SYSTEM),
                              b.topology.default_level.value_or(abi::NVML_TOPOLOGY_SYSTEM));
  return static_cast<abi::nvmlGpuTopologyLevel_t>(level);
}

namespace functions {

nvmlReturn_t DeviceGetTopologyCommonAncestor(const Machine& machine, const Gpu& gpu, nvmlDevice_t device2,
                                             nvmlGpuTopologyLevel_t* pathInfo) {
  const auto* other = find_gpu(machine, device2);
  if (!other) return NVML_ERROR_INVALID_ARGUMENT;
  *pathInfo = common_ancestor(gpu, *other);
  return NVML_SUCCESS;
}

// Count 0 asks how many there are, and is no error.
nvmlReturn_t DeviceGetTopologyNearestGpus(const Machine& machine, const Gpu& gpu, nvmlGpuTopologyLevel_t level,
                                          unsigned int* count, nvmlDevice_t* deviceArray) {
  const auto gpus = machine.gpus();
  const auto room = *count;
  if (room > 0 && !deviceArray) return NVML_ERROR_INVALID_ARGUMENT;
  unsigned int found = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (&gpus[i] == &gpu || !is_visible(machine, i) || common_ancestor(gpu, gpus[i]) != level) continue;
    if (found < room) deviceArray[found] = handle_of(i);
    ++found;
  }
  *count = room == 0 ? found : std::min(room, found);
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
