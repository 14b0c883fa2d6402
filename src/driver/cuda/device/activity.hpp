// Reports a CUDA process to the machine: its use of a GPU, its memory, its running kernels.
#pragma once

#include <cstdint>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda {

// The GPU is busy from the first tick on, and for a second after the last.
class Activity {
 public:
  explicit Activity(Device& device) : device_(device) { tick(); }
  void tick();

 private:
  Device& device_;
};

void raise_xid(Device& device, unsigned xid);

// The process begins to use the GPU, or uses it no longer. Refused: by the compute mode, because it is used already by
// another process alone, or because a fault keeps new clients out.
CUresult begin_use(Device& device);
void end_use(Device& device);
// The process holds so much of its memory now.
void report_memory(Device& device, std::uint64_t bytes);

}  // namespace nvmlkit::cuda
