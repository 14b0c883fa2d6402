// Memory that graphs allocate. Its address exists from the node on, its bytes from a launch until they are freed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "driver/cuda/device/device.hpp"
#include "driver/cuda/graphs/node_work.hpp"
#include "driver/cuda/memory/reserve.hpp"

namespace nvmlkit::cuda {

struct GraphPlace {
  Device* device = nullptr;
  CUdeviceptr address = 0;
  std::uint64_t size = 0;
  CUmemPoolProps properties{};  // as the node was asked for
  std::vector<CUmemAccessDesc> access;

  ~GraphPlace();
};

namespace graph_memory {

// A place for a node that allocates in the context.
CUresult reserve(Device& device, CUcontext context, std::uint64_t size, AllocWork& out);
CUresult reserve(const CUDA_MEM_ALLOC_NODE_PARAMS& params, CUcontext context, AllocWork& out);
CUDA_MEM_ALLOC_NODE_PARAMS params_of(const AllocWork& work);

bool is_of_graph(CUdeviceptr address);  // the start of a place
CUresult allocate(const AllocWork& work);
CUresult release(CUdeviceptr address);

// What graphs of this process have of a GPU.
MemoryReserve& of(Device& device);

}  // namespace graph_memory
}  // namespace nvmlkit::cuda
