#include "libraries/fft/transform.hpp"

#include <fftw3.h>

#include <cmath>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace nvmlkit::fft {
namespace {

// FFTW plans in one thread at a time.
std::mutex& planner() {
  static auto& mutex = *new std::mutex();  // a plan may be destroyed while the process ends
  return mutex;
}

// The two precisions of FFTW under one name each.
template <class Real>
struct Fftw;

#define NVMLKIT_PRECISION(Real, prefix)                                   \
  template <>                                                             \
  struct Fftw<Real> {                                                     \
    using Plan = prefix##_plan;                                           \
    using Complex = prefix##_complex;                                     \
    using Dimension = prefix##_iodim64;                                   \
    static constexpr auto plan_complex = prefix##_plan_guru64_dft;        \
    static constexpr auto plan_to_complex = prefix##_plan_guru64_dft_r2c; \
    static constexpr auto plan_to_real = prefix##_plan_guru64_dft_c2r;    \
    static constexpr auto run_complex = prefix##_execute_dft;             \
    static constexpr auto run_to_complex = prefix##_execute_dft_r2c;      \
    static constexpr auto run_to_real = prefix##_execute_dft_c2r;         \
    static constexpr auto destroy = prefix##_destroy_plan;                \
  };
NVMLKIT_PRECISION(float, fftwf)
NVMLKIT_PRECISION(double, fftw)
#undef NVMLKIT_PRECISION

std::int64_t extent(const Shape& shape, std::int64_t Dimension::*stride, std::int64_t distance, bool halved) {
  std::int64_t last = (shape.batch - 1) * distance;
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    const Dimension& each = shape.dimensions[i];
    const bool half = halved && i + 1 == shape.dimensions.size();
    last += ((half ? each.size / 2 + 1 : each.size) - 1) * each.*stride;
  }
  return last + 1;
}

// Plans that measure nothing: their results do not depend on the moment. Any address may be given to them later.
constexpr unsigned kFlags = FFTW_ESTIMATE | FFTW_UNALIGNED;

template <class Real>
typename Fftw<Real>::Plan make_plan(const Shape& shape, int sign, bool in_place) {
  using F = Fftw<Real>;
  std::vector<typename F::Dimension> dimensions;
  for (const Dimension& each : shape.dimensions) dimensions.push_back({each.size, each.in_stride, each.out_stride});
  const typename F::Dimension batch{shape.batch, shape.in_distance, shape.out_distance};
  const int rank = static_cast<int>(dimensions.size());
  // Planning by estimate looks at no element: only whether the two sides are one is of interest.
  static char left[64], right[64];
  auto* const in = left;
  auto* const out = in_place ? left : right;
  const auto complex = [](char* at) { return reinterpret_cast<typename F::Complex*>(at); };
  const auto real = [](char* at) { return reinterpret_cast<Real*>(at); };
  switch (shape.kind) {
    case Kind::complex:
      return F::plan_complex(rank, dimensions.data(), 1, &batch, complex(in), complex(out), sign, kFlags);
    case Kind::real_to_complex:
      return F::plan_to_complex(rank, dimensions.data(), 1, &batch, real(in), complex(out),
                                kFlags | (in_place ? 0 : FFTW_PRESERVE_INPUT));
    case Kind::complex_to_real:
      return F::plan_to_real(rank, dimensions.data(), 1, &batch, complex(in), real(out), kFlags | FFTW_DESTROY_INPUT);
  }
  return nullptr;
}

}  // namespace

std::int64_t Shape::in_extent() const {
  return extent(*this, &Dimension::in_stride, in_distance, kind == Kind::complex_to_real);
}

std::int64_t Shape::out_extent() const {
  return extent(*this, &Dimension::out_stride, out_distance, kind == Kind::real_to_complex);
}

double Shape::operations() const {
  double elements = 1;
  for (const Dimension& each : dimensions) elements *= static_cast<double>(each.size);
  const double whole = 5 * elements * std::log2(elements) * static_cast<double>(batch);
  return kind == Kind::complex ? whole : whole / 2;
}

template <class Real>
struct Transform<Real>::Plan {
  typename Fftw<Real>::Plan plan;
  explicit Plan(typename Fftw<Real>::Plan made) : plan(made) {}
  ~Plan() {
    const std::lock_guard lock(planner());
    Fftw<Real>::destroy(plan);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
};

template <class Real>
Transform<Real>::Transform(const Shape& shape, std::unique_ptr<Plan> plan, bool in_place)
    : shape_(shape), plan_(std::move(plan)), in_place_(in_place) {}

template <class Real>
Transform<Real>::~Transform() = default;

template <class Real>
std::unique_ptr<Transform<Real>> Transform<Real>::make(const Shape& shape, int sign, bool in_place) {
  typename Fftw<Real>::Plan plan = nullptr;
  {
    const std::lock_guard lock(planner());
    plan = make_plan<Real>(shape, sign, in_place);
  }
  if (!plan) return nullptr;
  return std::unique_ptr<Transform>(new Transform(shape, std::make_unique<Plan>(plan), in_place));
}

template <class Real>
void Transform<Real>::run(const void* in, void* out) const {
  using F = Fftw<Real>;
  using Complex = typename F::Complex;
  auto* const from = const_cast<void*>(in);
  switch (shape_.kind) {
    case Kind::complex:
      return F::run_complex(plan_->plan, static_cast<Complex*>(from), static_cast<Complex*>(out));
    case Kind::real_to_complex:
      return F::run_to_complex(plan_->plan, static_cast<Real*>(from), static_cast<Complex*>(out));
    case Kind::complex_to_real:
      break;
  }
  if (in_place_) return F::run_to_real(plan_->plan, static_cast<Complex*>(from), static_cast<Real*>(out));
  // FFTW uses the input as its memory here, and the callers of the library read theirs again.
  std::vector<std::complex<Real>> copy(static_cast<std::size_t>(shape_.in_extent()));
  std::memcpy(static_cast<void*>(copy.data()), in, copy.size() * sizeof copy[0]);
  F::run_to_real(plan_->plan, reinterpret_cast<Complex*>(copy.data()), static_cast<Real*>(out));
}

template class Transform<float>;
template class Transform<double>;

}  // namespace nvmlkit::fft
