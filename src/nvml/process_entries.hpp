// The two lists of processes that a device answers, in one layout whatever version of the function answered.
#pragma once

#include <nvmlkit/process_list.hpp>
#include <vector>

namespace nvmlkit::nvml::detail {

enum class ProcessKind { compute, graphics, mps };

struct ProcessEntry {
  unsigned int pid;
  std::optional<Bytes> memory;
  std::optional<unsigned int> gpu_instance;
  std::optional<unsigned int> compute_instance;
};
Result<std::vector<ProcessEntry>> running_processes(const State& state, abi::nvmlDevice_t device, ProcessKind kind);

struct UtilizationEntry {
  unsigned int pid;
  ProcessUtilization utilization;
};
// Several samples of one PID may be in it. Empty when there is none after `since`.
Result<std::vector<UtilizationEntry>> process_utilization(const State& state, abi::nvmlDevice_t device,
                                                          std::chrono::microseconds since);

}  // namespace nvmlkit::nvml::detail
