// Plans that are run on the memory of several GPUs.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult run_descriptor(const Call& call, Descriptor* in, Descriptor* out, int direction);
cufftResult run_descriptor_c2c(const Call& call, Descriptor* in, Descriptor* out, int direction);
cufftResult run_descriptor_r2c(const Call& call, Descriptor* in, Descriptor* out);
cufftResult run_descriptor_c2r(const Call& call, Descriptor* in, Descriptor* out);
cufftResult run_descriptor_z2z(const Call& call, Descriptor* in, Descriptor* out, int direction);
cufftResult run_descriptor_d2z(const Call& call, Descriptor* in, Descriptor* out);
cufftResult run_descriptor_z2d(const Call& call, Descriptor* in, Descriptor* out);

}  // namespace nvmlkit::cufft::functions
