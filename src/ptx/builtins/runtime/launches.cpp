// Launches of kernels from kernels, streams and events.
#include <optional>

#include "ptx/builtins/runtime/runtime_call.hpp"
#include "ptx/check/block_watch.hpp"
#include "ptx/check/races/block.hpp"

namespace nvmlkit::ptx {
namespace {

struct Dimensions {
  std::uint32_t x, y, z;
};

bool fits(const KernelLaunch& launch) {
  constexpr std::uint32_t kBlocks[] = {0x7FFFFFFF, 65535, 65535}, kThreads[] = {1024, 1024, 64};
  constexpr std::uint64_t kShared = 227 * 1024;
  std::uint64_t threads = 1;
  for (int k = 0; k < 3; ++k) {
    if (launch.blocks[k] == 0 || launch.blocks[k] > kBlocks[k]) return false;
    if (launch.threads[k] == 0 || launch.threads[k] > kThreads[k]) return false;
    const auto required = launch.kernel->required[k];
    if (launch.kernel->required[0] != 0 && required != launch.threads[k]) return false;
    threads *= launch.threads[k];
  }
  return threads <= launch.kernel->max_threads && launch.kernel->shared_bytes + launch.dynamic_shared <= kShared;
}

// The launch that four arguments describe; an error and nothing where it cannot be.
std::optional<KernelLaunch> launch_of(const BuiltinCall& call, std::size_t function, std::size_t shape, int& error) {
  KernelLaunch out;
  out.kernel = kernel_at(call, call.argument<std::uint64_t>(function));
  const auto blocks = call.argument<Dimensions>(shape), threads = call.argument<Dimensions>(shape + 1);
  std::memcpy(out.blocks, &blocks, sizeof blocks);
  std::memcpy(out.threads, &threads, sizeof threads);
  out.dynamic_shared = call.argument<std::uint32_t>(shape + 2);
  error = !out.kernel                                                       ? kInvalidDeviceFunction
          : !fits(out)                                                      ? kInvalidConfiguration
          : call.warp().block.worker().grid.depth + 1 >= Children::kDeepest ? kLaunchMaxDepthExceeded
                                                                            : kSuccess;
  if (error != kSuccess) return std::nullopt;
  return out;
}

// (function, grid, block, shared memory): where the arguments go.
void get_parameter_buffer_v2(const BuiltinCall& call) {
  int error = kSuccess;
  std::uint64_t buffer = 0;
  if (auto launch = launch_of(call, 0, 1, error)) {
    buffer = children_of(call).prepare(std::move(*launch));
    if (buffer == 0) error = kMemoryAllocation;
  }
  if (error != kSuccess) children_of(call).keep_error(thread_of(call), error);
  call.answer<std::uint64_t>(buffer);
}

// Of a launch into a stream, what is ordered before it. Tail launches have the order of their grid.
std::shared_ptr<const races::Birth> birth_of(const BuiltinCall& call, std::uint64_t stream) {
  auto* const watch = call.warp().block.watch();
  if (!watch || !watch->races() || stream == Children::kTailLaunch) return nullptr;
  return watch->races()->launches(call.warp(), call.lane(), stream, stream != Children::kFireAndForget);
}

void launch_device_v2(const BuiltinCall& call) {
  const auto buffer = call.argument<std::uint64_t>(0), stream = call.argument<std::uint64_t>(1);
  finish(call, children_of(call).start_prepared(buffer, stream, birth_of(call, stream)) ? kSuccess : kInvalidValue);
}

void get_parameter_buffer(const BuiltinCall& call) {
  call.answer<std::uint64_t>(children_of(call).buffer(call.argument<std::uint64_t>(1)));
}

// (function, buffer, grid, block, shared memory, stream)
void launch_device(const BuiltinCall& call) {
  int error = kSuccess;
  if (auto launch = launch_of(call, 0, 2, error)) {
    const auto stream = call.argument<std::uint64_t>(5);
    launch->birth = birth_of(call, stream);
    children_of(call).add(std::move(*launch), call.argument<std::uint64_t>(1), stream);
  }
  finish(call, error);
}

void synchronize(const BuiltinCall& call) {
  if (auto fault = children_of(call).run_pending(); fault.kind != FaultKind::none)
    call.warp().block.worker().fault = std::move(fault);
  if (auto* const watch = call.warp().block.watch(); watch && watch->races()) watch->races()->waits_for_launches();
  call.answer<std::int32_t>(kSuccess);
}

// Streams and events have a name each; a wait has come to its end before it begins.
void new_handle(const BuiltinCall& call) {
  give(call, 0, children_of(call).new_handle());
  finish(call, kSuccess);
}
void no_more(const BuiltinCall& call) { finish(call, kSuccess); }

constexpr Builtin kLaunches[] = {
    {"GetParameterBufferV2", &get_parameter_buffer_v2, FaultKind::none},
    {"LaunchDeviceV2", &launch_device_v2, FaultKind::none},
    {"GetParameterBuffer", &get_parameter_buffer, FaultKind::none},
    {"LaunchDevice", &launch_device, FaultKind::none},
    {"DeviceSynchronize", &synchronize, FaultKind::none},
    {"StreamCreateWithFlags", &new_handle, FaultKind::none},
    {"StreamDestroy", &no_more, FaultKind::none},
    {"StreamWaitEvent", &no_more, FaultKind::none},
    {"EventCreateWithFlags", &new_handle, FaultKind::none},
    {"EventRecord", &no_more, FaultKind::none},
    {"EventRecordWithFlags", &no_more, FaultKind::none},
    {"EventDestroy", &no_more, FaultKind::none},
};

}  // namespace

std::span<const Builtin> launch_functions() { return kLaunches; }

}  // namespace nvmlkit::ptx
