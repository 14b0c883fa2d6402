#include "driver/cuda/context/context.hpp"

#include <atomic>

#include "base/never_destroyed.hpp"
#include "driver/cuda/code/modules.hpp"
#include "driver/cuda/device/attributes.hpp"
#include "driver/cuda/device/health.hpp"
#include "driver/cuda/handles.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/mps/mps.hpp"
#include "driver/cuda/process.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/streams/streams.hpp"
#include "driver/cuda/textures/textures.hpp"

namespace nvmlkit::cuda {
namespace {

using ContextTable = Handles<CUcontext, Context, HandleKind::context>;

ContextTable& context_table() {
  static NeverDestroyed<ContextTable> the;
  return *the;
}

// No destructor: a thread may outlive the library's interest in it.
struct Stack {
  static constexpr unsigned kDepth = 256;
  CUcontext contexts[kDepth];
  unsigned depth;
};
// Aligned for the leak checker of GCC 12, which misreads a library's thread-local memory that lies 16 bytes behind the
// start of a page, and crashes.
alignas(64) constinit thread_local Stack stack{};

unsigned long long next_id() {
  static constinit std::atomic<unsigned long long> last{0};
  return ++last;
}

}  // namespace

Context::Context(Device& device_, unsigned flags, bool primary, unsigned version)
    : device(device_),
      id(next_id()),
      is_primary(primary),
      api_version(version),
      errors_before_(uncorrected_errors(device_)) {
  settings_.flags = flags;
}

long long Context::multiprocessor_count() const {
  const auto own = multiprocessors.load(std::memory_order_relaxed);
  return own ? own : attribute_of(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

CUresult Context::look_for_failure() {
  if (const auto known = failure(); known != CUDA_SUCCESS) return known;
  if (const auto found = failure_since(device, errors_before_); found != CUDA_SUCCESS) fail(found);
  if (mps::is_terminated()) fail(CUDA_ERROR_MPS_CLIENT_TERMINATED);
  return failure();
}

std::shared_ptr<Stream> Context::legacy_stream() {
  const std::lock_guard lock(mutex_);
  if (!legacy_stream_) legacy_stream_ = streams::standing(*this, Stream::Kind::legacy);
  return legacy_stream_;
}

std::shared_ptr<Stream> Context::thread_stream() {
  const std::lock_guard lock(mutex_);
  auto& own = thread_streams_[std::this_thread::get_id()];
  if (!own) own = streams::standing(*this, Stream::Kind::of_thread);
  return own;
}

namespace contexts {

std::shared_ptr<Context> find(CUcontext handle) { return context_table().find(handle); }

CUresult make(Device& device, unsigned flags, bool is_primary, unsigned api_version, std::shared_ptr<Context>& out,
              CUcontext again) {
  if (const auto failed = device.kernel_failure.load(); failed != CUDA_SUCCESS) return failed;
  if (const auto result = device.add_context(); result != CUDA_SUCCESS) return result;
  out = std::make_shared<Context>(device, flags, is_primary, api_version);
  out->set_handle(again ? again : context_table().add(out));
  if (again) context_table().put_back(again, out);
  return CUDA_SUCCESS;
}

bool end(CUcontext handle) {
  const auto context = context_table().remove(handle);
  if (!context) return false;
  context->end();
  schedule::wait_out(*context, schedule::ends([&](const Stream& s) { return s.context_id == context->id; }));
  empty(handle);
  context->device.remove_context();
  return true;
}

void empty(CUcontext handle) {
  streams::remove_of(handle);
  modules::remove_of(handle);
  textures::remove_of(handle);
  memory::remove_of(handle);
}

CUcontext top() { return stack.depth == 0 ? nullptr : stack.contexts[stack.depth - 1]; }

CUresult failure_of_current() {
  const auto context = find(top());
  return context ? context->failure() : CUDA_SUCCESS;
}

bool push(CUcontext handle) {
  if (stack.depth == Stack::kDepth) return false;
  stack.contexts[stack.depth++] = handle;
  return true;
}

void pop() {
  if (stack.depth > 0) --stack.depth;
}

}  // namespace contexts

Current::Current() {
  if (!is_initialized()) {
    refusal_ = CUDA_ERROR_NOT_INITIALIZED;
    return;
  }
  if (schedule::is_in_host_function()) {
    refusal_ = CUDA_ERROR_NOT_PERMITTED;
    return;
  }
  const auto handle = contexts::top();
  context_ = contexts::find(handle);
  if (context_) {
    if ((refusal_ = context_->look_for_failure()) != CUDA_SUCCESS) context_ = nullptr;
    return;
  }
  refusal_ = handle ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace nvmlkit::cuda
