// Several GPUs for one plan, and their memory.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult set_gpus(const Call& call, int count, int* numbers);
cufftResult query(const Call& call, void* out, cufftXtQueryType type);

cufftResult allocate(const Call& call, Descriptor** descriptor, cufftXtSubFormat format);
cufftResult release(Descriptor* descriptor);
cufftResult copy(const Call& call, void* to, void* from, cufftXtCopyType type);

}  // namespace nvmlkit::cufft::functions
