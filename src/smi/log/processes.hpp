// The processes on a GPU as nvidia-smi joins its three lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smi/gpu.hpp"

namespace nvmlkit::smi {

struct Process {
  unsigned pid = 0;
  bool compute = false, mps = false, graphics = false;
  std::optional<unsigned> gpu_instance, compute_instance;
  std::optional<nvml::Bytes> memory;
  std::string name;

  std::string type() const;  // "C", "M+C", "C+G"
};

// By PID; a failure where the driver lists none.
nvml::Result<std::vector<Process>> processes_of(const Gpu& gpu);

// "N/A" or the number.
std::string instance_text(const std::optional<unsigned>& instance);

}  // namespace nvmlkit::smi
