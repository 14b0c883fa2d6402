#include "libraries/cufft/functions/descriptors.hpp"

#include "libraries/cufft/copies.hpp"
#include "libraries/cufft/run.hpp"
#include "libraries/cufft/single.hpp"

namespace nvmlkit::cufft::functions {
namespace {

// Each GPU has whole transforms, whatever the formats are.
cufftResult run_batches(const Call& call, const Descriptor& in, const Descriptor& out, int direction) {
  const auto& gpus = *call.plan.gpus();
  auto result = answer_of(gpus.begin(call.plan.stream));
  for (int g = 0; g < gpus.count() && result == CUFFT_SUCCESS; ++g) {
    const auto batch = call.plan.spread()->batches(g);
    if (batch == 0) continue;
    const InContext in_context(gpus[g].context);
    result = run_batch(call, gpus[g].stream, in.memory->data[g], out.memory->data[g], direction, batch);
  }
  const auto ended = answer_of(gpus.end(call.plan.stream));
  return result == CUFFT_SUCCESS ? ended : result;
}

cufftResult run_single(const Call& call, const Descriptor& in, Descriptor& out, int direction) {
  const auto kind = call.plan.layout()->kind();
  const auto before = static_cast<cufftXtSubFormat>(in.format);
  cufftXtSubFormat after{};
  if (const auto result = check_begin(*call.plan.spread(), kind, before, after); result != CUFFT_SUCCESS) return result;
  if (&in != &out) return CUFFT_EXEC_FAILED;
  const std::vector<void*> data(in.memory->data, in.memory->data + call.plan.gpus()->count());
  const auto stages = call.plan.stages(before, sign_of(kind, direction));
  const auto result = run_stages(*call.plan.gpus(), call.plan.stream, stages, data, data);
  if (result == cuda::CUDA_SUCCESS) out.format = static_cast<int>(after);
  return answer_of(result);
}

cufftResult run_on(const Call& call, Descriptor* in, Descriptor* out, int direction) {
  const auto& layout = call.plan.layout();
  if (!layout || !in || !out) return CUFFT_INVALID_PLAN;
  if (layout->kind() == fft::Kind::complex && direction != -1 && direction != 1) return CUFFT_INVALID_VALUE;
  if (!call.plan.spread()) return CUFFT_EXEC_FAILED;  // descriptors of one GPU are empty
  if (!is_of(*in, *call.plan.gpus()) || !is_of(*out, *call.plan.gpus())) return CUFFT_INVALID_VALUE;
  if (call.plan.spread()->kind() == Spread::Kind::batches) return run_batches(call, *in, *out, direction);
  return run_single(call, *in, *out, direction);
}

// Unlike those of pointers, these functions take plans of their own type only.
cufftResult run_as(const Call& call, cufftType type, Descriptor* in, Descriptor* out, int direction) {
  const auto& layout = call.plan.layout();
  const auto types = types_of(type);
  if (layout && (layout->in_type() != types->in || layout->out_type() != types->out)) return CUFFT_INVALID_PLAN;
  return run_on(call, in, out, direction);
}

}  // namespace

cufftResult run_descriptor(const Call& call, Descriptor* in, Descriptor* out, int direction) {
  return run_on(call, in, out, direction);
}
cufftResult run_descriptor_c2c(const Call& call, Descriptor* in, Descriptor* out, int direction) {
  return run_as(call, CUFFT_C2C, in, out, direction);
}
cufftResult run_descriptor_r2c(const Call& call, Descriptor* in, Descriptor* out) {
  return run_as(call, CUFFT_R2C, in, out, -1);
}
cufftResult run_descriptor_c2r(const Call& call, Descriptor* in, Descriptor* out) {
  return run_as(call, CUFFT_C2R, in, out, 1);
}
cufftResult run_descriptor_z2z(const Call& call, Descriptor* in, Descriptor* out, int direction) {
  return run_as(call, CUFFT_Z2Z, in, out, direction);
}
cufftResult run_descriptor_d2z(const Call& call, Descriptor* in, Descriptor* out) {
  return run_as(call, CUFFT_D2Z, in, out, -1);
}
cufftResult run_descriptor_z2d(const Call& call, Descriptor* in, Descriptor* out) {
  return run_as(call, CUFFT_Z2D, in, out, 1);
}

}  // namespace nvmlkit::cufft::functions
