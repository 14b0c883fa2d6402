// The processes that use GPUs: one row per PID, joined over all GPUs and all functions of NVML that report processes.
#pragma once

#include <chrono>
#include <nvmlkit/library.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nvmlkit::nvml {

// Per cent of the last sample period. An engine that the driver does not report is empty, an idle one is 0.
struct ProcessUtilization {
  std::chrono::microseconds time{};  // of the sample, since 1970
  Percent sm;
  Percent memory;
  Percent encoder;
  Percent decoder;
  std::optional<Percent> jpeg;  // needs nvmlDeviceGetProcessesUtilizationInfo (since 12.3.101)
  std::optional<Percent> ofa;
};

// What a process does on one GPU, or on one MIG instance of it.
struct ProcessUse {
  unsigned int device_index;
  std::optional<unsigned int> gpu_instance;  // empty: not on a MIG instance, or the driver does not say
  std::optional<unsigned int> compute_instance;
  bool compute = false;  // has a compute context of its own
  bool graphics = false;
  bool mps = false;             // computes through MPS
  std::optional<Bytes> memory;  // empty: the driver does not know (always so under WDDM and for a foreign container)
  std::optional<ProcessUtilization> utilization;  // empty: no sample, which is not the same as idle
};

struct Process {
  unsigned int pid;
  std::optional<std::string> name;  // empty: it ended, or belongs to another PID namespace
  std::vector<ProcessUse> uses;     // by GPU and instance

  // Over all GPUs; empty if no use reports its memory.
  std::optional<Bytes> memory() const;
};

// A question that a GPU did not answer, while others did. Not supported is an answer, and not in here.
struct ProcessProblem {
  unsigned int device_index;
  Failure failure;
};

struct ProcessList {
  std::vector<Process> processes;  // by PID
  std::vector<ProcessProblem> problems;
};

struct ProcessListOptions {
  bool names = true;
  bool utilization = true;
  // Only samples that are newer: the newest time of the list before. Zero: all that the driver still has.
  std::chrono::microseconds since{};
};

// Asks every GPU with the newest function that the driver has; the 32-byte entries that some 535 drivers wrote are
// recognized. Fails only when the GPUs cannot be counted. To see processes of others on MIG instances needs root.
// @c nvmlDeviceGetComputeRunningProcesses_v3 @c nvmlDeviceGetGraphicsRunningProcesses_v3
// @c nvmlDeviceGetMPSComputeRunningProcesses_v3 @c nvmlDeviceGetProcessesUtilizationInfo
// @c nvmlDeviceGetProcessUtilization @c nvmlSystemGetProcessName
Result<ProcessList> list_processes(const Library& library, const ProcessListOptions& options = {});

}  // namespace nvmlkit::nvml
