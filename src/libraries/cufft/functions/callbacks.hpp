// Callbacks that are no LTO code: NVIDIA's shared library has none either.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult set_callback(Handle handle, void** routine, cufftXtCallbackType type, void** info);
cufftResult clear_callback(Handle handle, cufftXtCallbackType type);
cufftResult set_callback_memory(const Call& call, cufftXtCallbackType type, std::size_t size);

}  // namespace nvmlkit::cufft::functions
