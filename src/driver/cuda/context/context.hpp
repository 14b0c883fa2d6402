// Contexts: a process's objects on a GPU, and the current context of a thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "driver/cuda/context/device_heap.hpp"
#include "driver/cuda/device/device.hpp"
#include "driver/cuda/generated/api.hpp"
#include "driver/cuda/launches/attribute_storage.hpp"
#include "driver/cuda/launches/printed.hpp"

namespace nvmlkit::cuda {

struct Stream;

class Context : public std::enable_shared_from_this<Context> {
 public:
  Context(Device& device, unsigned flags, bool is_primary, unsigned api_version);

  Device& device;
  const unsigned long long id;
  const bool is_primary;
  const unsigned api_version;

  // Of a green context: what it may use of the GPU, and its handle (green_contexts.hpp). 0: all.
  std::atomic<unsigned> multiprocessors{0};
  std::atomic<CUgreenCtx> green{nullptr};
  long long multiprocessor_count() const;

  CUcontext handle() const { return handle_; }
  void set_handle(CUcontext handle) { handle_ = handle; }

  // What went wrong in a kernel; from then on the context answers nothing else.
  void fail(CUresult error) {
    auto none = CUDA_SUCCESS;
    failure_.compare_exchange_strong(none, error);
    stop_ = true;
  }
  // The same for an error of a kernel, which no later context of the GPU outlives.
  void fail_for_good(CUresult error) {
    auto none = CUDA_SUCCESS;
    device.kernel_failure.compare_exchange_strong(none, error);
    fail(error);
  }
  CUresult failure() const { return failure_.load(std::memory_order_relaxed); }
  // The same, after a look at the GPU.
  CUresult look_for_failure();

  // Kernels of the context end when it is true.
  const std::atomic<bool>& stop() const { return stop_; }

  // No work is taken any more.
  void end() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }

  // The default stream of all threads, and that of the calling one.
  std::shared_ptr<Stream> legacy_stream();
  std::shared_ptr<Stream> thread_stream();

  Printed& printed() { return printed_; }
  DeviceHeap& heap() { return heap_; }

  // What programs set and get back.
  struct Settings {
    unsigned flags = 0;
    std::map<CUlimit, std::size_t> limits;
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
    CUsharedconfig shared = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    std::set<CUcontext> peers;
    std::map<unsigned long long, AttributeStorage> stream_attributes;  // by number of the stream
    unsigned holds = 1;                                                // cuCtxCreate and cuCtxAttach
  };
  // work(settings), alone.
  template <class Work>
  auto with(Work work) {
    const std::lock_guard lock(mutex_);
    return work(settings_);
  }

 private:
  std::mutex mutex_;
  Settings settings_;
  std::shared_ptr<Stream> legacy_stream_;
  std::map<std::thread::id, std::shared_ptr<Stream>> thread_streams_;
  Printed printed_;
  DeviceHeap heap_;
  CUcontext handle_ = nullptr;
  std::atomic<CUresult> failure_{CUDA_SUCCESS};
  std::atomic<bool> stop_{false}, has_ended_{false};
  const std::uint64_t errors_before_;  // of the GPU's memory
};

namespace contexts {

// Null for what is no context, or no longer one.
std::shared_ptr<Context> find(CUcontext handle);

// An error where the compute mode of the GPU forbids it, or too little memory is left. `again`: the handle that the
// device's primary context had before.
CUresult make(Device& device, unsigned flags, bool is_primary, unsigned api_version, std::shared_ptr<Context>& out,
              CUcontext again = nullptr);
// Ends a context: frees what it owns. False when it is none.
bool end(CUcontext handle);
// Frees what a context owns.
void empty(CUcontext handle);

// The stack of this thread; top() is null when it is empty.
CUcontext top();
// What became of the current context; CUDA_SUCCESS where there is none. For calls that need no context.
CUresult failure_of_current();
bool push(CUcontext handle);  // false: too deep
void pop();

}  // namespace contexts

// The context that a call works in, or why there is none.
class Current {
 public:
  Current();

  explicit operator bool() const { return context_ != nullptr; }
  Context& operator*() const { return *context_; }
  CUresult refusal() const { return refusal_; }

 private:
  std::shared_ptr<Context> context_;
  CUresult refusal_ = CUDA_SUCCESS;
};

}  // namespace nvmlkit::cuda
