#include "libraries/cufft/functions/transforms.hpp"

#include "libraries/cufft/run.hpp"

namespace nvmlkit::cufft::functions {
namespace {

cufftResult run_as(const Call& call, cufftType type, void* in, void* out, int direction) {
  const auto& layout = call.plan.layout();
  if (!layout) return CUFFT_INVALID_PLAN;
  // The plan decides: NVIDIA's library runs it as it was made, whichever of the functions is called.
  const auto types = types_of(type);
  const bool has_real = !is_complex(types->in) || !is_complex(types->out);
  if (has_real && (!in || !out)) return CUFFT_EXEC_FAILED;
  return run(call, in, out, direction);
}

}  // namespace

cufftResult run_c2c(const Call& call, Complex* in, Complex* out, int direction) {
  return run_as(call, CUFFT_C2C, in, out, direction);
}
cufftResult run_r2c(const Call& call, float* in, Complex* out) { return run_as(call, CUFFT_R2C, in, out, -1); }
cufftResult run_c2r(const Call& call, Complex* in, float* out) { return run_as(call, CUFFT_C2R, in, out, 1); }
cufftResult run_z2z(const Call& call, DoubleComplex* in, DoubleComplex* out, int direction) {
  return run_as(call, CUFFT_Z2Z, in, out, direction);
}
cufftResult run_d2z(const Call& call, double* in, DoubleComplex* out) { return run_as(call, CUFFT_D2Z, in, out, -1); }
cufftResult run_z2d(const Call& call, DoubleComplex* in, double* out) { return run_as(call, CUFFT_Z2D, in, out, 1); }

cufftResult run_typed(const Call& call, void* in, void* out, int direction) {
  return call.plan.layout() ? run(call, in, out, direction) : CUFFT_INVALID_PLAN;
}

}  // namespace nvmlkit::cufft::functions
