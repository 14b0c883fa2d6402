// Queries of errors, the device, and kernels.
#include "ptx/builtins/runtime/runtime_call.hpp"

namespace nvmlkit::ptx {
namespace {

void get_last_error(const BuiltinCall& call) {
  call.answer<std::int32_t>(children_of(call).error(thread_of(call), true));
}
void peek_at_last_error(const BuiltinCall& call) {
  call.answer<std::int32_t>(children_of(call).error(thread_of(call), false));
}

template <const char* (DeviceQuestions::*of)(int)>
void error_word(const BuiltinCall& call) {
  auto* const questions = call.warp().block.worker().grid.questions;
  const char* const word = questions ? (questions->*of)(call.argument<std::int32_t>(0)) : nullptr;
  call.answer<std::uint64_t>(word ? children_of(call).text(word) : 0);
}

void get_device(const BuiltinCall& call) {
  auto* const questions = call.warp().block.worker().grid.questions;
  give<std::int32_t>(call, 0, questions ? questions->device() : 0);
  finish(call, kSuccess);
}
void get_device_count(const BuiltinCall& call) {
  auto* const questions = call.warp().block.worker().grid.questions;
  give<std::int32_t>(call, 0, questions ? questions->device_count() : 1);
  finish(call, kSuccess);
}
void get_attribute(const BuiltinCall& call) {
  auto* const questions = call.warp().block.worker().grid.questions;
  const auto device = call.argument<std::int32_t>(2);
  if (!questions || device < 0 || device >= questions->device_count()) return finish(call, kInvalidDevice);
  int value = 0;
  if (!questions->attribute(call.argument<std::int32_t>(1), device, value)) return finish(call, kInvalidValue);
  give(call, 0, value);
  finish(call, kSuccess);
}
void get_limit(const BuiltinCall& call) {
  auto* const questions = call.warp().block.worker().grid.questions;
  std::uint64_t value = 0;
  if (!questions || !questions->limit(call.argument<std::int32_t>(1), value)) return finish(call, kUnsupportedLimit);
  give(call, 0, value);
  finish(call, kSuccess);
}
// Neither caches nor banks of shared memory are there to choose.
void get_preference(const BuiltinCall& call) {
  give<std::int32_t>(call, 0, 0);
  finish(call, kSuccess);
}

// CUDA 11.8 brought PTX 7.8, 12.6 brought 8.5 as 12.5 did, 13.0 brought 9.0.
int runtime_version(int ptx) {
  const int major = ptx / 10, minor = ptx % 10;
  return (major + 4) * 1000 + (major == 8 && minor > 5 ? minor + 1 : minor) * 10;
}
void get_runtime_version(const BuiltinCall& call) {
  give<std::int32_t>(call, 0, runtime_version(call.warp().block.worker().grid.module->version));
  finish(call, kSuccess);
}

struct FunctionAttributes {
  std::uint64_t shared, constants, local;
  std::int32_t most_threads, registers, ptx_version, binary_version, cache_mode, most_dynamic_shared, carveout;
};

void get_function_attributes(const BuiltinCall& call) {
  const auto* const kernel = kernel_at(call, call.argument<std::uint64_t>(1));
  if (!kernel) return finish(call, kInvalidDeviceFunction);
  const FunctionAttributes out{kernel->shared_bytes,
                               0,
                               kernel->local_bytes,
                               static_cast<std::int32_t>(kernel->max_threads),
                               static_cast<std::int32_t>(kernel->registers),
                               kernel->architecture,
                               kernel->architecture,
                               0,
                               static_cast<std::int32_t>(48 * 1024 - static_cast<std::int64_t>(kernel->shared_bytes)),
                               -1};
  const auto address = call.argument<std::uint64_t>(0);
  constexpr std::size_t kSize = 52;
  for (std::size_t k = 0; k < kSize; k += 4)
    if (auto* const p = call.place(address + k, 4)) {
      std::memcpy(p, reinterpret_cast<const char*>(&out) + k, 4);
      note_written(call.warp(), call.instruction(), address + k, 4);
    }
  finish(call, kSuccess);
}

// (blocks, function, threads, shared memory)
void get_occupancy(const BuiltinCall& call) {
  auto* const questions = call.warp().block.worker().grid.questions;
  const auto* const kernel = kernel_at(call, call.argument<std::uint64_t>(1));
  if (!kernel) return finish(call, kInvalidDeviceFunction);
  if (!questions) return finish(call, kNotSupported);
  give<std::int32_t>(
      call, 0,
      questions->blocks_on_multiprocessor(*kernel, call.argument<std::int32_t>(2), call.argument<std::uint64_t>(3)));
  finish(call, kSuccess);
}

constexpr Builtin kQuestions[] = {
    {"GetLastError", &get_last_error, FaultKind::none},
    {"PeekAtLastError", &peek_at_last_error, FaultKind::none},
    {"GetErrorName", &error_word<&DeviceQuestions::error_name>, FaultKind::none},
    {"GetErrorString", &error_word<&DeviceQuestions::error_text>, FaultKind::none},
    {"GetDevice", &get_device, FaultKind::none},
    {"GetDeviceCount", &get_device_count, FaultKind::none},
    {"DeviceGetAttribute", &get_attribute, FaultKind::none},
    {"DeviceGetLimit", &get_limit, FaultKind::none},
    {"DeviceGetCacheConfig", &get_preference, FaultKind::none},
    {"DeviceGetSharedMemConfig", &get_preference, FaultKind::none},
    {"RuntimeGetVersion", &get_runtime_version, FaultKind::none},
    {"FuncGetAttributes", &get_function_attributes, FaultKind::none},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", &get_occupancy, FaultKind::none},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", &get_occupancy, FaultKind::none},
};

}  // namespace

std::span<const Builtin> question_functions() { return kQuestions; }

}  // namespace nvmlkit::ptx
