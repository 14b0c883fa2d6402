#include "libraries/cufft/spread.hpp"

#include <algorithm>
#include <bit>

namespace nvmlkit::cufft {
namespace {

bool is_power(std::int64_t n) { return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

// The choice of NVIDIA's library for 2^6 to 2^27 numbers, in both precisions.
Factors factors_of(std::int64_t size, int gpus) {
  static constexpr int kLogs[] = {2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 8, 9, 9, 9, 8, 9, 9, 9};
  static constexpr int kFirst = 6, kLast = kFirst + static_cast<int>(std::size(kLogs)) - 1;
  const int log = std::countr_zero(static_cast<std::uint64_t>(size));
  Factors out;
  out.factor2 = std::int64_t{1} << kLogs[std::clamp(log, kFirst, kLast) - kFirst];
  out.factor1 = size / out.factor2;
  out.strings = std::max<std::int64_t>(log == kFirst ? 2 : 8, gpus);
  return out;
}

std::int64_t least_line(int gpus) { return gpus > 8 ? 1024 : gpus > 4 ? 128 : 64; }

}  // namespace

Share Share::of(std::int64_t whole, int gpus, int gpu) {
  const std::int64_t each = whole / gpus, more = whole % gpus;
  return {gpu * each + std::min<std::int64_t>(gpu, more), each + (gpu < more ? 1 : 0)};
}

Spread::Spread(const Layout& layout, int gpus)
    : layout_(layout), gpus_(gpus), number_(std::max(size_of(layout.in_type()), size_of(layout.out_type()))) {}

cufftResult Spread::make(const Layout& layout, int gpus, std::optional<Spread>& out) {
  Spread made(layout, gpus);
  if (made.number_ < sizeof(Complex)) return CUFFT_SETUP_FAILED;  // 16-bit numbers
  if (layout.batch() == 1)
    if (const auto result = made.check_single(); result != CUFFT_SUCCESS) return result;
  out = made;
  return CUFFT_SUCCESS;
}

// Dimensions of one number do not count.
cufftResult Spread::check_single() {
  const bool has_real = layout_.kind() != fft::Kind::complex;
  const int last = layout_.rank() - 1;
  for (int i = 0; i <= last; ++i)
    if (layout_.size(i) != 1 || (i == last && has_real)) sizes_.push_back(layout_.size(i));
  if (sizes_.empty()) return CUFFT_INVALID_SIZE;
  if (sizes_.size() == 1) {
    const auto size = sizes_[0];
    if (has_real || !is_power(size) || !is_power(gpus_) || size < least_line(gpus_)) return CUFFT_INVALID_SIZE;
    kind_ = Kind::line;
    factors_ = factors_of(size, gpus_);
    return CUFFT_SUCCESS;
  }
  static constexpr int kLeastSlab = 32;
  if (sizes_[0] < kLeastSlab || sizes_[1] < kLeastSlab) return CUFFT_INVALID_SIZE;
  for (const auto size : sizes_)
    if (size < 1) return CUFFT_INVALID_SIZE;
  kind_ = Kind::slabs;
  if (has_real) sizes_.back() = sizes_.back() / 2 + 1;
  return CUFFT_SUCCESS;
}

cufftResult Spread::check(cufftXtSubFormat format) const {
  switch (kind_) {
    case Kind::slabs:
      return format == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
    case Kind::line:
      return format <= CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
    case Kind::batches:
      break;
  }
  if (format == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED) return CUFFT_INVALID_PLAN;
  return format <= CUFFT_XT_FORMAT_INPLACE ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

std::size_t Spread::bytes(cufftXtSubFormat format, int gpu) const {
  if (kind_ == Kind::line) return static_cast<std::size_t>(factors_.size() / gpus_) * number_;
  if (kind_ == Kind::batches) {
    if (batches(gpu) == 0) return 0;
    const auto shape = layout_.shape(format == CUFFT_XT_FORMAT_INPLACE, batches(gpu));
    const auto in = static_cast<std::size_t>(shape.in_extent()) * size_of(layout_.in_type());
    const auto out = static_cast<std::size_t>(shape.out_extent()) * size_of(layout_.out_type());
    return format == CUFFT_XT_FORMAT_INPUT ? in : format == CUFFT_XT_FORMAT_OUTPUT ? out : std::max(in, out);
  }
  if (format != CUFFT_XT_FORMAT_INPLACE && format != CUFFT_XT_FORMAT_INPLACE_SHUFFLED) return 0;
  // Of a flat transform with a real side, the format that it cannot begin with.
  const auto none = layout_.kind() == fft::Kind::real_to_complex   ? CUFFT_XT_FORMAT_INPLACE_SHUFFLED
                    : layout_.kind() == fft::Kind::complex_to_real ? CUFFT_XT_FORMAT_INPLACE
                                                                   : CUFFT_FORMAT_UNDEFINED;
  if (is_flat() && format == none) return 0;
  return static_cast<std::size_t>(std::max(part(CUFFT_XT_FORMAT_INPLACE, gpu).count(),
                                           part(CUFFT_XT_FORMAT_INPLACE_SHUFFLED, gpu).count())) *
         number_;
}

std::int64_t Spread::count() const {
  if (kind_ == Kind::line) return factors_.size();
  std::int64_t out = 1;
  for (const auto size : sizes_) out *= size;
  return out;
}

Part Spread::part(cufftXtSubFormat format, int gpu) const {
  if (kind_ == Kind::line) return part_of_line(format, gpu);
  const auto row = is_flat() ? 1 : sizes_[2], plane = sizes_[1] * row;
  Part out;
  if (format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED) {
    const auto share = Share::of(sizes_[1], gpus_, gpu);
    out.first = share.first * row;
    out.loops[1] = {sizes_[0], share.count * row, plane};
    out.loops[2] = {share.count * row, 1, 1};
    return out;
  }
  const auto share = Share::of(sizes_[0], gpus_, gpu);
  out.first = share.first * plane;
  out.loops[2] = {share.count * plane, 1, 1};
  return out;
}

Part Spread::part_of_line(cufftXtSubFormat format, int gpu) const {
  const auto& f = factors_;
  const auto strings = f.strings / gpus_;
  Part out;
  if (format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED) {
    // Strings one behind the other; the substrings of one are factor1 numbers apart.
    out.first = gpu * strings * f.substring();
    out.loops = {Part::Loop{strings, f.string(), f.substring()}, Part::Loop{f.factor2, f.substring(), f.factor1},
                 Part::Loop{f.substring(), 1, 1}};
    return out;
  }
  if (format == CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED) {
    // Number a + factor2 * b belongs to the GPU of a, which has several a side by side in each string.
    const auto own = f.factor2 / gpus_, beside = own / strings;
    out.first = gpu * own;
    out.loops = {Part::Loop{strings, beside * f.factor1, beside}, Part::Loop{f.factor1, beside, f.factor2},
                 Part::Loop{beside, 1, 1}};
    return out;
  }
  const auto own = f.size() / gpus_;
  out.first = gpu * own;
  out.loops[2] = {own, 1, 1};
  return out;
}

Part Spread::between(int gpu) const {
  const auto& f = factors_;
  Part out = part_of_line(CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED, gpu);
  out.first *= f.factor1;
  for (auto* loop : {&out.loops[0], &out.loops[2]}) loop->in_whole *= f.factor1;
  out.loops[1].in_whole = 1;
  return out;
}

}  // namespace nvmlkit::cufft
