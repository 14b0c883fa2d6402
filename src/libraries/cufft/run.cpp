#include "libraries/cufft/run.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "libraries/common/kernel.hpp"
#include "ptx/narrow_floats.hpp"

namespace nvmlkit::cufft {
namespace {

using libraries::Running;

// One run of a transform: where its two sides are, and how long.
struct Sides {
  void *in, *out;
  std::int64_t in_count, out_count;  // elements
  std::size_t in_size, out_size;     // bytes of one

  bool in_place() const { return in == out; }
  std::int64_t bytes() const {
    return std::max(in_count * static_cast<std::int64_t>(in_size), out_count * static_cast<std::int64_t>(out_size));
  }
};

template <class Transform>
void run_plain(Running& running, const Sides& sides, const Transform& transform) {
  if (sides.in_place()) {
    void* const both = running.write(sides.out, sides.bytes(), 1);
    transform.run(both, both);
    return;
  }
  const void* const in = running.read(static_cast<const void*>(sides.in), sides.in_count, sides.in_size);
  transform.run(in, running.write(sides.out, sides.out_count, sides.out_size));
}

// 16-bit numbers as floats and back. What lies between the elements stays as it is.
template <class Narrow>
void run_narrow(Running& running, const Sides& sides, const fft::Transform<float>& transform) {
  const auto numbers = [](std::int64_t count, std::size_t size) {
    return static_cast<std::size_t>(count) * size / sizeof(std::uint16_t);
  };
  const auto widen = [](const std::uint16_t* from, std::size_t count) {
    std::vector<float> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = Narrow::wide({from[i]});
    return out;
  };
  const std::size_t in_count = numbers(sides.in_count, sides.in_size);
  const std::size_t out_count = sides.in_place() ? numbers(sides.bytes(), 1) : numbers(sides.out_count, sides.out_size);
  auto* const out = static_cast<std::uint16_t*>(running.write(sides.out, static_cast<std::int64_t>(out_count), 2));
  const std::vector<float> before = widen(out, out_count);
  std::vector<float> result = before;
  if (sides.in_place()) {
    transform.run(result.data(), result.data());
  } else {
    const auto* const in = static_cast<const std::uint16_t*>(
        running.read(static_cast<const void*>(sides.in), static_cast<std::int64_t>(in_count), 2));
    transform.run(widen(in, in_count).data(), result.data());
  }
  for (std::size_t i = 0; i < out_count; ++i)
    if (std::bit_cast<std::uint32_t>(result[i]) != std::bit_cast<std::uint32_t>(before[i]))
      out[i] = Narrow::of(static_cast<double>(result[i])).bits;
}

const char* name_of(fft::Kind kind) {
  switch (kind) {
    case fft::Kind::complex:
      return "cufft_c2c";
    case fft::Kind::real_to_complex:
      return "cufft_r2c";
    case fft::Kind::complex_to_real:
      return "cufft_c2r";
  }
  return "cufft";
}

template <class Transform, class Work>
cufftResult enqueue(CUstream stream, const fft::Shape& shape, const Sides& sides, const Transform& transform,
                    Work work) {
  if (!transform) return CUFFT_ALLOC_FAILED;
  const auto* const driver = libraries::driver();
  if (!driver) return CUFFT_SETUP_FAILED;
  if (libraries::ensure_context(*driver) != cuda::CUDA_SUCCESS) return CUFFT_EXEC_FAILED;
  const libraries::Cost cost{.operations = shape.operations(),
                             .bytes = static_cast<double>(sides.in_count) * static_cast<double>(sides.in_size) +
                                      static_cast<double>(sides.out_count) * static_cast<double>(sides.out_size)};
  return answer_of(libraries::enqueue(*driver, stream, name_of(shape.kind), cost,
                                      [=](Running& running) { work(running, sides, *transform); }));
}

}  // namespace

cufftResult answer_of(libraries::CUresult result) {
  if (result == cuda::CUDA_SUCCESS) return CUFFT_SUCCESS;
  return result == cuda::CUDA_ERROR_OUT_OF_MEMORY ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED;
}

int sign_of(fft::Kind kind, int direction) {
  return kind == fft::Kind::complex ? direction : kind == fft::Kind::real_to_complex ? -1 : 1;
}

namespace {

// `in_place`: whether the numbers lie as those of one memory do.
cufftResult run_between(const Call& call, CUstream stream, void* in, void* out, bool in_place, int direction,
                        std::int64_t batch) {
  const Layout& layout = *call.plan.layout();
  const auto shape = layout.shape(in_place, batch);
  const Sides sides{
      in, out, shape.in_extent(), shape.out_extent(), size_of(layout.in_type()), size_of(layout.out_type())};
  const Places places{.in_place = in_place, .is_one = in == out};
  const int sign = sign_of(layout.kind(), direction);
  const auto single = [&] { return call.plan.single_transform(sign, places, batch); };
  switch (layout.in_type()) {
    case CUDA_R_64F:
    case CUDA_C_64F:
      return enqueue(stream, shape, sides, call.plan.double_transform(sign, places, batch),
                     run_plain<fft::Transform<double>>);
    case CUDA_R_32F:
    case CUDA_C_32F:
      return enqueue(stream, shape, sides, single(), run_plain<fft::Transform<float>>);
    case CUDA_R_16F:
    case CUDA_C_16F:
      return enqueue(stream, shape, sides, single(), run_narrow<ptx::Half>);
    default:
      return enqueue(stream, shape, sides, single(), run_narrow<ptx::Bfloat>);
  }
}

}  // namespace

cufftResult run(const Call& call, void* in, void* out, int direction) {
  const Layout& layout = *call.plan.layout();
  if (call.plan.gpus()) return CUFFT_INTERNAL_ERROR;  // their numbers are in descriptors
  if (!in || !out) return CUFFT_INVALID_VALUE;
  if (layout.kind() == fft::Kind::complex && direction != -1 && direction != 1) return CUFFT_INVALID_VALUE;
  if (!layout.can_run()) return CUFFT_EXEC_FAILED;
  const auto transform = [&](void* from, void* to) {
    return run_between(call, call.plan.stream, from, to, in == out, direction, layout.batch());
  };
  if (!call.plan.callbacks) return transform(in, out);
  return call.plan.callbacks.run(call.plan.stream, layout.shape(in == out), in, out, transform);
}

cufftResult run_batch(const Call& call, CUstream stream, void* in, void* out, int direction, std::int64_t batch) {
  return run_between(call, stream, in, out, in == out, direction, batch);
}

}  // namespace nvmlkit::cufft
