#include "libraries/nccl/functions/groups.hpp"

#include "libraries/nccl/group.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t group_start() {
  group::start();
  return ncclSuccess;
}

ncclResult_t group_end() { return group::end(); }

ncclResult_t group_simulate_end(SimulationInfo* info) {
  constexpr unsigned kMagic = 0x74685283;
  if (info && info->magic != kMagic) return ncclInvalidArgument;
  if (!group::is_open()) return group::end();  // which refuses
  const double bytes = group::drop();
  constexpr double kStartSeconds = 10e-6, kBytesPerSecond = 200e9;
  if (info) info->seconds = static_cast<float>((kStartSeconds + bytes / kBytesPerSecond) * 1e6);
  return ncclSuccess;
}

}  // namespace nvmlkit::nccl::functions
