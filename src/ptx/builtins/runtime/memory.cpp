// Allocations, copies and fills.
#include "ptx/builtins/runtime/runtime_call.hpp"

namespace nvmlkit::ptx {
namespace {

void cuda_malloc(const BuiltinCall& call) {
  const auto size = call.argument<std::uint64_t>(1);
  const auto made = size ? call.warp().block.worker().grid.memory->allocate(size) : 0;
  if (made || size == 0) give(call, 0, made);
  finish(call, made || size == 0 ? kSuccess : kMemoryAllocation);
}
void cuda_free(const BuiltinCall& call) {
  call.release(call.argument<std::uint64_t>(0));
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

constexpr Builtin kMemory[] = {
    {"Malloc", &cuda_malloc, FaultKind::none}, {"Free", &cuda_free, FaultKind::none},
    {"MemcpyAsync", &copy, FaultKind::none},   {"Memcpy2DAsync", &copy_2d, FaultKind::none},
    {"MemsetAsync", &fill, FaultKind::none},   {"Memset2DAsync", &fill_2d, FaultKind::none},
};

}  // namespace

std::span<const Builtin> memory_functions() { return kMemory; }

}  // namespace nvmlkit::ptx
