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

// A GPU without a handle.
struct LostGpu {
  unsigned index;
  std::string bus_id;
  std::string reason;
  int status;
};

struct Selection {
  std::vector<Gpu> gpus;
  std::vector<LostGpu> lost;
  unsigned attached = 0;          // all GPUs, chosen or not
  std::optional<Output> refusal;  // no GPU was found
};

// "Unable to determine the device handle for GPU00000000:64:00.0: GPU is lost. ..."
std::string text_of_lost(const LostGpu& gpu, const char* word);

// All GPUs, or those of `-i`: by index, UUID, serial number or PCI bus id.
Selection select_gpus(const Host& host, const std::vector<std::string>& ids);

}  // namespace nvmlkit::smi
