// The processes that use the GPUs of a machine, as people see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

struct GpuProcess {
  std::size_t gpu = 0;
  std::uint32_t pid = 0;
  std::string type, name;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint32_t> gpu_instance, compute_instance;
  std::uint32_t sm_percent = 0;
  std::string origin;      // program, simulated or machine file
  bool elsewhere = false;  // its number counts in another PID namespace
};

std::vector<GpuProcess> processes_of(const sim::Machine& machine);

}  // namespace nvmlkit::cli
