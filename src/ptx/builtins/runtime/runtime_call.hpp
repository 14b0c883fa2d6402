// Common parts of the device runtime's functions: errors, and data about their caller.
#pragma once

#include <span>

#include "ptx/builtins/builtin_call.hpp"
#include "ptx/builtins/runtime/children.hpp"
#include "ptx/check/written.hpp"

namespace nvmlkit::ptx {

enum RuntimeError : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInvalidConfiguration = 9,
  kLaunchMaxDepthExceeded = 65,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kUnsupportedLimit = 215,
  kNotSupported = 801
};

inline Children& children_of(const BuiltinCall& call) { return *call.warp().block.worker().grid.children; }

// The number of a thread in its grid.
std::uint64_t thread_of(const BuiltinCall& call);
// The kernel that an address of code means, or null.
const Function* kernel_at(const BuiltinCall& call, std::uint64_t address);

// Answers with an error, which the thread keeps.
void finish(const BuiltinCall& call, int error);

// Writes to where an argument points; a fault where that is nothing.
template <class T>
void give(const BuiltinCall& call, std::size_t argument, T value) {
  const auto address = call.argument<std::uint64_t>(argument);
  auto* const p = call.place(address, sizeof value);
  if (!p) return;
  std::memcpy(p, &value, sizeof value);
  note_written(call.warp(), call.instruction(), address, sizeof value);
}

// The functions of each subject. Names without the __cudaCDP2 or cuda that they begin with.
std::span<const Builtin> launch_functions();
std::span<const Builtin> memory_functions();
std::span<const Builtin> question_functions();

}  // namespace nvmlkit::ptx
