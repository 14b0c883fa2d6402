// How long the driver has had the GPU.
#include <algorithm>
#include <limits>

#include "driver/nvml/generated/functions.hpp"
#include "sim/state/clock.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceGetGpuUptime_v1(const Machine& machine, const Gpu& gpu, nvmlGpuUptime_v1_t* gpuUptime) {
  constexpr std::int64_t kSecond = 1'000'000'000, kMost = std::numeric_limits<unsigned int>::max();
  const auto seconds = sim::elapsed_ns(gpu.motion.initialized_ns, sim::now_ns(machine)) / kSecond;
  gpuUptime->uptime = static_cast<unsigned int>(std::clamp<std::int64_t>(seconds, 0, kMost));
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
