// Built-in functions that device code calls: printf, assert, malloc, free, and those of the device runtime
// (runtime/device_runtime.hpp).
#pragma once

#include <string_view>

#include "ptx/module.hpp"

namespace nvmlkit::ptx {

// -1 for what is none.
int builtin_named(std::string_view name);

void call_builtin(const CallSite& site, Warp& warp, const Instruction& i, Mask lanes);

}  // namespace nvmlkit::ptx
