// Plans that are run.
#pragma once

#include "libraries/cufft/call.hpp"

namespace nvmlkit::cufft::functions {

cufftResult run_c2c(const Call& call, Complex* in, Complex* out, int direction);
cufftResult run_r2c(const Call& call, float* in, Complex* out);
cufftResult run_c2r(const Call& call, Complex* in, float* out);
cufftResult run_z2z(const Call& call, DoubleComplex* in, DoubleComplex* out, int direction);
cufftResult run_d2z(const Call& call, double* in, DoubleComplex* out);
cufftResult run_z2d(const Call& call, DoubleComplex* in, double* out);
cufftResult run_typed(const Call& call, void* in, void* out, int direction);

}  // namespace nvmlkit::cufft::functions
