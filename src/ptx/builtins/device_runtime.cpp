#include "ptx/builtins/device_runtime.hpp"

#include <optional>

#include "ptx/builtins/builtin_call.hpp"
#include "ptx/builtins/children.hpp"

namespace nvmlkit::ptx {
namespace {

// Errors of the runtime.
constexpr int kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
              kLaunchMaxDepthExceeded = 65, kInvalidDeviceFunction = 98, kInvalidDevice = 101, kUnsupportedLimit = 215,
              kNotSupported = 801;

struct Dimensions {
  std::uint32_t x, y, z;
};

Children& children_of(const BuiltinCall& call) { return *call.warp().block.run().grid.children; }

// The number of a thread in its grid.
std::uint64_t thread_of(const BuiltinCall& call) {
  const auto& s = call.warp().special();
  const auto l = call.lane();
  const auto linear = [&](const auto& at, const auto& size) {
    return (std::uint64_t{at[2][l]} * size[1][l] + at[1][l]) * size[0][l] + at[0][l];
  };
  return linear(s.ctaid, s.nctaid) * s.ntid[0][l] * s.ntid[1][l] * s.ntid[2][l] + linear(s.tid, s.ntid);
}

void finish(const BuiltinCall& call, int error) {
  if (error != kSuccess) children_of(call).keep_error(thread_of(call), error);
  call.answer<std::int32_t>(error);
}

// Writes to where an argument points; a fault where that is nothing.
template <class T>
void give(const BuiltinCall& call, std::size_t argument, T value) {
  const auto address = call.argument<std::uint64_t>(argument);
  if (auto* const p = call.place(address, sizeof value)) std::memcpy(p, &value, sizeof value);
}

const Function* kernel_at(const BuiltinCall& call, std::uint64_t address) {
  const auto& functions = call.warp().block.run().grid.module->functions;
  const auto index = (address - kCodeWindow) / 16;
  if (address < kCodeWindow || address % 16 != 0 || index >= functions.size()) return nullptr;
  const auto& f = functions[index];
  return f.is_entry && f.is_defined ? &f : nullptr;
}

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
  error = !out.kernel                                                    ? kInvalidDeviceFunction
          : !fits(out)                                                   ? kInvalidConfiguration
          : call.warp().block.run().grid.depth + 1 >= Children::kDeepest ? kLaunchMaxDepthExceeded
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

void launch_device_v2(const BuiltinCall& call) {
  const auto buffer = call.argument<std::uint64_t>(0);
  finish(call, children_of(call).start_prepared(buffer, call.argument<std::uint64_t>(1)) ? kSuccess : kInvalidValue);
}

void get_parameter_buffer(const BuiltinCall& call) {
  call.answer<std::uint64_t>(children_of(call).buffer(call.argument<std::uint64_t>(1)));
}

// (function, buffer, grid, block, shared memory, stream)
void launch_device(const BuiltinCall& call) {
  int error = kSuccess;
  if (auto launch = launch_of(call, 0, 2, error))
    children_of(call).add(std::move(*launch), call.argument<std::uint64_t>(1), call.argument<std::uint64_t>(5));
  finish(call, error);
}

void synchronize(const BuiltinCall& call) {
  const auto fault = children_of(call).run();
  if (fault.kind != FaultKind::none) call.warp().fault(fault.kind, fault.address, call.instruction());
  call.answer<std::int32_t>(kSuccess);
}

void get_last_error(const BuiltinCall& call) {
  call.answer<std::int32_t>(children_of(call).error(thread_of(call), true));
}
void peek_at_last_error(const BuiltinCall& call) {
  call.answer<std::int32_t>(children_of(call).error(thread_of(call), false));
}

template <const char* (DeviceQuestions::*of)(int)>
void error_word(const BuiltinCall& call) {
  auto* const questions = call.warp().block.run().grid.questions;
  const char* const word = questions ? (questions->*of)(call.argument<std::int32_t>(0)) : nullptr;
  call.answer<std::uint64_t>(word ? children_of(call).text(word) : 0);
}

// Streams and events have a name each; a wait has come to its end before it begins.
void new_handle(const BuiltinCall& call) {
  give(call, 0, children_of(call).new_handle());
  finish(call, kSuccess);
}
void no_more(const BuiltinCall& call) { finish(call, kSuccess); }

void cuda_malloc(const BuiltinCall& call) {
  const auto size = call.argument<std::uint64_t>(1);
  const auto made = size ? call.warp().block.run().grid.memory->allocate(size) : 0;
  if (made || size == 0) give(call, 0, made);
  finish(call, made || size == 0 ? kSuccess : kMemoryAllocation);
}
void cuda_free(const BuiltinCall& call) {
  const auto address = call.argument<std::uint64_t>(0);
  if (address) call.warp().block.run().release(address);
  finish(call, kSuccess);
}

void add(const BuiltinCall& call, const RowsOfBytes& rows) {
  if (rows.width > 0) children_of(call).add(rows);
  finish(call, kSuccess);
}
void copy(const BuiltinCall& call) {
  RowsOfBytes rows;
  rows.to = call.argument<std::uint64_t>(0);
  rows.from = call.argument<std::uint64_t>(1);
  rows.width = call.argument<std::uint64_t>(2);
  rows.rows = 1;
  add(call, rows);
}
void copy_2d(const BuiltinCall& call) {
  RowsOfBytes rows;
  rows.to = call.argument<std::uint64_t>(0);
  rows.to_pitch = call.argument<std::uint64_t>(1);
  rows.from = call.argument<std::uint64_t>(2);
  rows.from_pitch = call.argument<std::uint64_t>(3);
  rows.width = call.argument<std::uint64_t>(4);
  rows.rows = call.argument<std::uint64_t>(5);
  add(call, rows);
}
void fill(const BuiltinCall& call) {
  RowsOfBytes rows;
  rows.to = call.argument<std::uint64_t>(0);
  rows.value = static_cast<std::uint8_t>(call.argument<std::uint32_t>(1));
  rows.width = call.argument<std::uint64_t>(2);
  rows.rows = 1;
  rows.fills = true;
  add(call, rows);
}
void fill_2d(const BuiltinCall& call) {
  RowsOfBytes rows;
  rows.to = call.argument<std::uint64_t>(0);
  rows.to_pitch = call.argument<std::uint64_t>(1);
  rows.value = static_cast<std::uint8_t>(call.argument<std::uint32_t>(2));
  rows.width = call.argument<std::uint64_t>(3);
  rows.rows = call.argument<std::uint64_t>(4);
  rows.fills = true;
  add(call, rows);
}

void get_device(const BuiltinCall& call) {
  auto* const questions = call.warp().block.run().grid.questions;
  give<std::int32_t>(call, 0, questions ? questions->device() : 0);
  finish(call, kSuccess);
}
void get_device_count(const BuiltinCall& call) {
  auto* const questions = call.warp().block.run().grid.questions;
  give<std::int32_t>(call, 0, questions ? questions->device_count() : 1);
  finish(call, kSuccess);
}
void get_attribute(const BuiltinCall& call) {
  auto* const questions = call.warp().block.run().grid.questions;
  const auto device = call.argument<std::int32_t>(2);
  if (!questions || device < 0 || device >= questions->device_count()) return finish(call, kInvalidDevice);
  int value = 0;
  if (!questions->attribute(call.argument<std::int32_t>(1), device, value)) return finish(call, kInvalidValue);
  give(call, 0, value);
  finish(call, kSuccess);
}
void get_limit(const BuiltinCall& call) {
  auto* const questions = call.warp().block.run().grid.questions;
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
  give<std::int32_t>(call, 0, runtime_version(call.warp().block.run().grid.module->version));
  finish(call, kSuccess);
}

struct FunctionAttributes {
  std::uint64_t shared, constants, local;
  std::int32_t most_threads, registers, ptx_version, binary_version, cache_mode, most_dynamic_shared, carveout;
};

void get_function_attributes(const BuiltinCall& call) {
  const auto* const kernel = kernel_at(call, call.argument<std::uint64_t>(1));
  if (!kernel) return finish(call, kInvalidDeviceFunction);
  const auto version = call.warp().block.run().grid.module->version;
  const FunctionAttributes out{kernel->shared_bytes,
                               0,
                               kernel->local_bytes,
                               static_cast<std::int32_t>(kernel->max_threads),
                               static_cast<std::int32_t>(kernel->registers_32),
                               version,
                               version,
                               0,
                               static_cast<std::int32_t>(48 * 1024 - static_cast<std::int64_t>(kernel->shared_bytes)),
                               -1};
  const auto address = call.argument<std::uint64_t>(0);
  constexpr std::size_t kSize = 52;
  for (std::size_t k = 0; k < kSize; k += 4)
    if (auto* const p = call.place(address + k, 4)) std::memcpy(p, reinterpret_cast<const char*>(&out) + k, 4);
  finish(call, kSuccess);
}

// (blocks, function, threads, shared memory)
void get_occupancy(const BuiltinCall& call) {
  auto* const questions = call.warp().block.run().grid.questions;
  const auto* const kernel = kernel_at(call, call.argument<std::uint64_t>(1));
  if (!kernel) return finish(call, kInvalidDeviceFunction);
  if (!questions) return finish(call, kNotSupported);
  give<std::int32_t>(
      call, 0,
      questions->blocks_on_multiprocessor(*kernel, call.argument<std::int32_t>(2), call.argument<std::uint64_t>(3)));
  finish(call, kSuccess);
}

// Names without the __cudaCDP2 or cuda that they begin with.
constexpr Builtin kFunctions[] = {
    {"GetParameterBufferV2", &get_parameter_buffer_v2, FaultKind::none},
    {"LaunchDeviceV2", &launch_device_v2, FaultKind::none},
    {"GetParameterBuffer", &get_parameter_buffer, FaultKind::none},
    {"LaunchDevice", &launch_device, FaultKind::none},
    {"DeviceSynchronize", &synchronize, FaultKind::none},
    {"GetLastError", &get_last_error, FaultKind::none},
    {"PeekAtLastError", &peek_at_last_error, FaultKind::none},
    {"GetErrorName", &error_word<&DeviceQuestions::error_name>, FaultKind::none},
    {"GetErrorString", &error_word<&DeviceQuestions::error_text>, FaultKind::none},
    {"StreamCreateWithFlags", &new_handle, FaultKind::none},
    {"StreamDestroy", &no_more, FaultKind::none},
    {"StreamWaitEvent", &no_more, FaultKind::none},
    {"EventCreateWithFlags", &new_handle, FaultKind::none},
    {"EventRecord", &no_more, FaultKind::none},
    {"EventRecordWithFlags", &no_more, FaultKind::none},
    {"EventDestroy", &no_more, FaultKind::none},
    {"Malloc", &cuda_malloc, FaultKind::none},
    {"Free", &cuda_free, FaultKind::none},
    {"MemcpyAsync", &copy, FaultKind::none},
    {"Memcpy2DAsync", &copy_2d, FaultKind::none},
    {"MemsetAsync", &fill, FaultKind::none},
    {"Memset2DAsync", &fill_2d, FaultKind::none},
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

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

}  // namespace

int device_runtime_named(std::string_view name) {
  if (name == "__cudaDeviceSynchronizeDeprecationAvoidance") name = "cudaDeviceSynchronize";
  if (!take_prefix(name, "__cudaCDP2") && !take_prefix(name, "cuda")) return -1;
  if (name.ends_with("_ptsz")) name.remove_suffix(5);  // of programs with a default stream for each thread
  for (std::size_t k = 0; k < std::size(kFunctions); ++k)
    if (kFunctions[k].name == name) return static_cast<int>(k);
  return -1;
}

const Builtin& device_runtime(std::size_t number) { return kFunctions[number]; }

}  // namespace nvmlkit::ptx
