// The work that a stream is handed: one value for each kind. Graphs keep the same values as nodes
// (graphs/node_work.hpp).
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "driver/cuda/launches/host_kernel.hpp"
#include "driver/cuda/launches/launch.hpp"
#include "driver/cuda/memory/memory_operations.hpp"

namespace nvmlkit::cuda {

struct KernelWork {
  CUfunction function = nullptr;
  CUcontext context = nullptr;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  std::shared_ptr<const Allocation> of_many = nullptr;  // as in Launch
  CUdeviceptr place_in_many = 0;
  std::shared_ptr<const sanitize::HostStack> origin = nullptr;  // if a sanitizer asked for it
  std::shared_ptr<const HostKernel> of_host = nullptr;          // in place of the function
};

struct CopyWork {
  CUDA_MEMCPY3D copy{};
  CUcontext context = nullptr;
};

struct FillWork {
  CUDA_MEMSET_NODE_PARAMS fill{};
  CUcontext context = nullptr;
};

struct HostWork {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct NoWork {};

struct WaitWork {
  CUevent event = nullptr;
};

struct RecordWork {
  CUevent event = nullptr;
};

struct BatchWork {
  CUcontext context = nullptr;
  std::vector<MemoryOperation> operations;
};

using StreamWork = std::variant<KernelWork, CopyWork, FillWork, HostWork, NoWork, WaitWork, RecordWork, BatchWork>;

// A row of bytes from one address to another.
CopyWork row_copy(const Context& context, CUdeviceptr to, CUmemorytype to_type, CUdeviceptr from,
                  CUmemorytype from_type, std::size_t size);

}  // namespace nvmlkit::cuda
