// A Fourier transform of memory of the host, by FFTW. Sizes and strides are counted in elements: complex or real
// numbers, as the side of the transform has them.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#define NVMLKIT_FFT __attribute__((visibility("default")))

namespace nvmlkit::fft {

enum class Kind : std::uint8_t { complex, real_to_complex, complex_to_real };

struct Dimension {
  std::int64_t size = 1;  // of the transform: of real numbers where one side is real
  std::int64_t in_stride = 1, out_stride = 1;
};

struct Shape {
  Kind kind = Kind::complex;
  std::vector<Dimension> dimensions;  // the last one is halved where one side is real
  std::int64_t batch = 1, in_distance = 0, out_distance = 0;

  // Elements from the first to the last one that the transform touches.
  NVMLKIT_FFT std::int64_t in_extent() const;
  NVMLKIT_FFT std::int64_t out_extent() const;
  // Floating-point operations, by the customary count of 5 n log2 n (half of it for real numbers).
  NVMLKIT_FFT double operations() const;
};

// A transform of float or double, without scaling. Several threads may run one transform.
template <class Real>
class Transform {
 public:
  // `sign`: of the exponent, of complex transforms. Null where FFTW has no memory or the sizes are too large for it.
  NVMLKIT_FFT static std::unique_ptr<Transform> make(const Shape& shape, int sign, bool in_place);
  NVMLKIT_FFT ~Transform();
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  // `in` keeps its content unless it is `out`.
  NVMLKIT_FFT void run(const void* in, void* out) const;

 private:
  struct Plan;
  Transform(const Shape& shape, std::unique_ptr<Plan> plan, bool in_place);

  Shape shape_;
  std::unique_ptr<Plan> plan_;
  bool in_place_;
};

extern template class Transform<float>;
extern template class Transform<double>;

}  // namespace nvmlkit::fft
