#include "libraries/nccl/functions/memory.hpp"

#include <mutex>
#include <set>

#include "base/never_destroyed.hpp"
#include "libraries/nccl/communicator.hpp"
#include "libraries/nccl/gpu.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl::functions {
namespace {

struct Buffer {
  const Communicator* communicator;
  void* address;
  std::size_t size;
};
struct Buffers {
  std::mutex mutex;
  std::set<Buffer*> all;
};
Buffers& buffers() {
  static NeverDestroyed<Buffers> the;
  return *the;
}

Buffer* keep_buffer(const Communicator* communicator, void* address, std::size_t size) {
  auto* const made = new Buffer{communicator, address, size};
  const std::lock_guard lock(buffers().mutex);
  buffers().all.insert(made);
  return made;
}

ncclResult_t forget_buffer(const Communicator* communicator, Buffer* buffer) {
  if (!find(communicator)) return ncclInvalidArgument;
  if (!buffer) return ncclSuccess;
  const std::lock_guard lock(buffers().mutex);
  if (buffers().all.count(buffer) == 0 || buffer->communicator != communicator) {
    log::warn(-1, "Deregister : the handle is none of this communicator");
    return ncclInvalidArgument;
  }
  buffers().all.erase(buffer);
  delete buffer;
  return ncclSuccess;
}

}  // namespace

ncclResult_t allocate(void** out, std::size_t size) {
  // As in NVIDIA's library, where cudaMalloc() answers in these cases.
  if (!out) return ncclUnhandledCudaError;
  if (size == 0) {
    *out = nullptr;
    return ncclSuccess;
  }
  const auto* const g = gpu();
  if (!g) return ncclUnhandledCudaError;
  cuda::CUdeviceptr memory = 0;
  auto result = libraries::ensure_context(*g->driver);
  if (result == cuda::CUDA_SUCCESS) result = g->allocate(&memory, size);
  *out = reinterpret_cast<void*>(memory);
  return answer_of(result, "cuMemAlloc");
}

ncclResult_t free(void* memory) {
  if (!memory) return ncclSuccess;
  const auto* const g = gpu();
  if (!g) return ncclUnhandledCudaError;
  return answer_of(g->free(reinterpret_cast<cuda::CUdeviceptr>(memory)), "cuMemFree");
}

ncclResult_t register_buffer(const Communicator* communicator, void* buffer, std::size_t size, void** handle) {
  if (!find(communicator) || !buffer || !handle) return ncclInvalidArgument;
  *handle = keep_buffer(communicator, buffer, size);
  return ncclSuccess;
}

ncclResult_t deregister_buffer(const Communicator* communicator, void* handle) {
  return forget_buffer(communicator, static_cast<Buffer*>(handle));
}

ncclResult_t register_window(Communicator* communicator, void* buffer, std::size_t size, Window** out, int) {
  if (!find(communicator) || !buffer || !out) return ncclInvalidArgument;
  *out = reinterpret_cast<Window*>(keep_buffer(communicator, buffer, size));
  return ncclSuccess;
}

ncclResult_t deregister_window(Communicator* communicator, Window* window) {
  return forget_buffer(communicator, reinterpret_cast<Buffer*>(window));
}

}  // namespace nvmlkit::nccl::functions
