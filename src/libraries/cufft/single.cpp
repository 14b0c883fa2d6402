#include "libraries/cufft/single.hpp"

#include <algorithm>
#include <complex>
#include <numbers>

namespace nvmlkit::cufft {
namespace {

// Numbers of one GPU as a box, and the dimensions in which they are transformed, in place.
struct Box {
  std::vector<std::int64_t> sizes;  // in complex numbers
  fft::Kind kind = fft::Kind::complex;
  std::int64_t last = 0;  // of a transform with a real side: its last size

  std::int64_t step(std::size_t dimension) const {
    std::int64_t out = 1;
    for (std::size_t i = dimension + 1; i < sizes.size(); ++i) out *= sizes[i];
    return out;
  }
};

template <class Real>
using TransformPtr = std::shared_ptr<const fft::Transform<Real>>;

// A transform that runs at several places, `step` complex numbers apart.
template <class Real>
std::function<void(void*)> repeated(const fft::Shape& shape, int sign, std::int64_t times, std::int64_t step) {
  const TransformPtr<Real> transform = fft::Transform<Real>::make(shape, sign, true);
  if (!transform) throw std::bad_alloc();
  return [=](void* numbers) {
    auto* const all = static_cast<std::complex<Real>*>(numbers);
    for (std::int64_t i = 0; i < times; ++i) transform->run(all + i * step, all + i * step);
  };
}

template <class Real>
std::function<void(void*)> transform_of(const Box& box, const std::vector<std::size_t>& dimensions, int sign) {
  const bool from_real = box.kind == fft::Kind::real_to_complex, to_real = box.kind == fft::Kind::complex_to_real;
  const auto last = box.sizes.size() - 1;
  fft::Shape shape;
  shape.kind = box.kind;
  for (const auto d : dimensions) {
    const bool is_halved = d == last && (from_real || to_real);
    const auto step = box.step(d), of_reals = d == last ? step : 2 * step;
    shape.dimensions.push_back({.size = is_halved ? box.last : box.sizes[d],
                                .in_stride = from_real ? of_reals : step,
                                .out_stride = to_real ? of_reals : step});
  }
  // The other dimensions are a batch: one of them, or neighbours, or one for FFTW and one for a loop.
  std::vector<std::size_t> others;
  for (std::size_t d = 0; d <= last; ++d)
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) others.push_back(d);
  std::int64_t times = 1, apart = 0, distance = 0;
  if (!others.empty()) {
    shape.batch = box.sizes[others.back()];
    distance = box.step(others.back());
  }
  if (others.size() == 2) {
    if (others[0] + 1 == others[1]) {
      shape.batch *= box.sizes[others[0]];
    } else {
      times = box.sizes[others[0]];
      apart = box.step(others[0]);
    }
  }
  shape.in_distance = from_real ? 2 * distance : distance;
  shape.out_distance = to_real ? 2 * distance : distance;
  return repeated<Real>(shape, sign, times, apart);
}

template <class Real>
void add_slabs(const Spread& spread, const Layout& layout, cufftXtSubFormat before, int sign, Stages& out) {
  const std::size_t divided = before == CUFFT_XT_FORMAT_INPLACE ? 0 : 1, next = 1 - divided;
  const auto after = divided == 0 ? CUFFT_XT_FORMAT_INPLACE_SHUFFLED : CUFFT_XT_FORMAT_INPLACE;
  const bool to_real = layout.kind() == fft::Kind::complex_to_real;
  // The dimension along which the GPUs have divided the numbers comes in the second stage. Where the result is real,
  // its last dimension does too.
  std::vector<std::size_t> first, second;
  for (std::size_t d = 0; d < spread.sizes().size(); ++d)
    (to_real ? (d == next ? first : second) : (d == divided ? second : first)).push_back(d);
  out.all.resize(2);
  for (int g = 0; g < spread.gpus(); ++g) {
    Box box{spread.sizes(), fft::Kind::complex, layout.size(layout.rank() - 1)};
    box.sizes[divided] = Share::of(spread.sizes()[divided], spread.gpus(), g).count;
    if (!to_real) box.kind = layout.kind();
    out.all[0].work.push_back(transform_of<Real>(box, first, sign));
    box.sizes = spread.sizes();
    box.sizes[next] = Share::of(spread.sizes()[next], spread.gpus(), g).count;
    box.kind = to_real ? layout.kind() : fft::Kind::complex;
    out.all[1].work.push_back(transform_of<Real>(box, second, sign));
    out.all[0].to.push_back(spread.part(before, g));
    out.all[1].from.push_back(spread.part(after, g));
  }
}

// exp(sign * 2 pi i * e / size) for every e below the size, by two tables.
class Roots {
 public:
  Roots(const Factors& factors, int sign) : factor1_(factors.factor1) {
    const auto root = [&](std::int64_t exponent) {
      return std::polar(
          1.0, sign * 2 * std::numbers::pi * static_cast<double>(exponent) / static_cast<double>(factors.size()));
    };
    for (std::int64_t i = 0; i < factor1_; ++i) fine_.push_back(root(i));
    for (std::int64_t i = 0; i < factors.factor2; ++i) coarse_.push_back(root(i * factor1_));
  }
  std::complex<double> operator()(std::int64_t exponent) const {
    return fine_[static_cast<std::size_t>(exponent % factor1_)] *
           coarse_[static_cast<std::size_t>(exponent / factor1_)];
  }

 private:
  std::int64_t factor1_;
  std::vector<std::complex<double>> fine_, coarse_;
};

// Number a of transform k times the root of a * k. `between`: where they are, at a * factor1 + k.
template <class Real>
void multiply(const Part& between, std::int64_t factor1, const Roots& roots, std::complex<Real>* numbers) {
  const auto& [outer, middle, inner] = between.loops;
  for (std::int64_t i = 0; i < outer.count; ++i)
    for (std::int64_t j = 0; j < middle.count; ++j)
      for (std::int64_t n = 0; n < inner.count; ++n) {
        const auto place = between.first + i * outer.in_whole + j * middle.in_whole + n * inner.in_whole;
        auto& number = numbers[i * outer.step + j * middle.step + n * inner.step];
        number = std::complex<Real>(std::complex<double>(number) * roots(place / factor1 * (place % factor1)));
      }
}

template <class Real>
void add_line(const Spread& spread, cufftXtSubFormat before, int sign, Stages& out) {
  const auto& f = spread.factors();
  const auto strings = f.strings / spread.gpus();
  const auto roots = std::make_shared<const Roots>(f, sign);
  const bool is_ordered = before == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED;
  if (!is_ordered) out.all.push_back(reordered(spread, before, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED).all[0]);
  Stage columns, rows;
  for (int g = 0; g < spread.gpus(); ++g) {
    const auto part = spread.part(CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED, g), between = spread.between(g);
    const auto beside = part.loops[2].count;
    fft::Shape column{.kind = fft::Kind::complex,
                      .dimensions = {{.size = f.factor1, .in_stride = beside, .out_stride = beside}},
                      .batch = beside,
                      .in_distance = 1,
                      .out_distance = 1};
    const auto transformed = repeated<Real>(column, sign, strings, beside * f.factor1);
    columns.from.push_back(part);
    columns.to.push_back(between);
    columns.work.push_back([transformed, between, roots, factor1 = f.factor1](void* numbers) {
      transformed(numbers);
      multiply(between, factor1, *roots, static_cast<std::complex<Real>*>(numbers));
    });
    fft::Shape row{.kind = fft::Kind::complex,
                   .dimensions = {{.size = f.factor2, .in_stride = f.substring(), .out_stride = f.substring()}},
                   .batch = f.substring(),
                   .in_distance = 1,
                   .out_distance = 1};
    rows.from.push_back(spread.part(CUFFT_XT_FORMAT_INPLACE_SHUFFLED, g));
    rows.work.push_back(repeated<Real>(row, sign, strings, f.string()));
  }
  out.all.push_back(std::move(columns));
  out.all.push_back(std::move(rows));
}

template <class Real>
void add(const Spread& spread, const Layout& layout, cufftXtSubFormat before, int sign, Stages& out) {
  if (spread.kind() == Spread::Kind::line) return add_line<Real>(spread, before, sign, out);
  add_slabs<Real>(spread, layout, before, sign, out);
}

}  // namespace

cufftResult check_begin(const Spread& spread, fft::Kind kind, cufftXtSubFormat before, cufftXtSubFormat& after) {
  const bool is_natural = before == CUFFT_XT_FORMAT_INPLACE;
  const bool is_shuffled = before == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  after = CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  if (spread.kind() == Spread::Kind::line)
    return is_natural || before == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED ? CUFFT_SUCCESS : CUFFT_INVALID_TYPE;
  if (!is_natural && !is_shuffled) return CUFFT_INTERNAL_ERROR;
  // The last dimension is the real one, and a GPU has to have it whole.
  if (spread.is_flat() &&
      ((kind == fft::Kind::real_to_complex && is_shuffled) || (kind == fft::Kind::complex_to_real && is_natural)))
    return CUFFT_INTERNAL_ERROR;
  if (is_shuffled) after = CUFFT_XT_FORMAT_INPLACE;
  return CUFFT_SUCCESS;
}

std::shared_ptr<const Stages> make_stages(const Spread& spread, const Layout& layout, cufftXtSubFormat before,
                                          int sign) {
  const auto out = std::make_shared<Stages>();
  cufftXtSubFormat after{};
  if (check_begin(spread, layout.kind(), before, after) != CUFFT_SUCCESS) return nullptr;
  out->whole = spread.count();
  out->number = spread.number();
  out->operations = layout.shape(true).operations();
  out->name = layout.kind() == fft::Kind::complex           ? "cufft_c2c"
              : layout.kind() == fft::Kind::real_to_complex ? "cufft_r2c"
                                                            : "cufft_c2r";
  for (int g = 0; g < spread.gpus(); ++g) {
    out->counts.push_back(spread.part(before, g).count());
    out->counts_after.push_back(spread.part(after, g).count());
  }
  if (spread.number() == sizeof(DoubleComplex))
    add<double>(spread, layout, before, sign, *out);
  else
    add<float>(spread, layout, before, sign, *out);
  return out;
}

}  // namespace nvmlkit::cufft
