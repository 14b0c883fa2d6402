// The GPUs that a command is about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smi/gpu.hpp"

namespace nvmlkit::smi {

// What a command prints, and its exit status.
struct Output {
  std::string text{};
  int status = 0;
};

struct Selection {
  std::vector<Gpu> gpus;
  unsigned attached = 0;          // all GPUs, chosen or not
  std::optional<Output> refusal;  // nothing was found, or a GPU does not answer
};

// All GPUs, or those of `-i`: by index, UUID, serial number or PCI bus id.
Selection select_gpus(const Host& host, const std::vector<std::string>& ids);

}  // namespace nvmlkit::smi
