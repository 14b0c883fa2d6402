// Callbacks: device code of the program as LTO-IR. Those that are no LTO-IR are not in NVIDIA's shared library either.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult set_callback(Handle handle, void** routine, cufftXtCallbackType type, void** info);
cufftResult clear_callback(Handle handle, cufftXtCallbackType type);
cufftResult set_callback_memory(const Call& call, cufftXtCallbackType type, std::size_t size);
cufftResult set_jit_callback(const Call& call, const char* symbol, const void* code, std::size_t size,
                             cufftXtCallbackType type, void** info);

}  // namespace nvmlkit::cufft::functions
