// Reports a CUDA process to the machine: its use of a GPU, its memory, its running kernels.
#pragma once

#include <cstdint>

#include "driver/cuda/device/device.hpp"

namespace nvmlkit::cuda {

// A kernel that runs. The GPU is busy from the first tick on, and for a second after the last. What its
// multiprocessors do meanwhile follows from the pipes of the kernels that ran.
class Activity {
 public:
  Activity(Device& device, host_kernels::Pipe pipe);
  void tick();

 private:
  Device& device_;
  host_kernels::Pipe pipe_;
  std::int64_t counted_ns_;  // until then the kernel's time counts already
};

void raise_xid(Device& device, unsigned xid);

// The process begins to use the GPU, or uses it no longer. Refused: by the compute mode, because it is used already by
// another process alone, or because a fault keeps new clients out.
CUresult begin_use(Device& device);
void end_use(Device& device);
// The process holds so much of its memory now.
void report_memory(Device& device, std::uint64_t bytes);

}  // namespace nvmlkit::cuda
