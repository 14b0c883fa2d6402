// The utilization of each process since a time, in one layout for both functions that report it.
#pragma once

#include <nvmlkit/device.hpp>
#include <nvmlkit/process_list.hpp>
#include <vector>

namespace nvmlkit::nvml::detail {

struct UtilizationEntry {
  unsigned int pid;
  ProcessUtilization utilization;
};
// Several samples of one PID may be in it. Empty when there is none after `since`.
Result<std::vector<UtilizationEntry>> utilization_entries(const Device& device, std::chrono::microseconds since);

}  // namespace nvmlkit::nvml::detail
