// The part of the CUDA runtime that kernels call: launches of kernels, their streams and events, copies and fills, and
// queries of the device. In programs of CUDA 11 the functions have their plain names, later ones begin with
// __cudaCDP2.
#pragma once

#include <string_view>

namespace nvmlkit::ptx {

struct Builtin;

// -1 for what is none.
int device_runtime_named(std::string_view name);
const Builtin& device_runtime(std::size_t number);

}  // namespace nvmlkit::ptx
