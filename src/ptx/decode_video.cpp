// SIMD video instructions: two halves or four bytes of a word at a time.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ptx/form.hpp"
#include "ptx/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

// How the parts of the three words are read and what becomes of the results.
struct Parts {
  std::uint8_t bits;
  bool a_is_signed, b_is_signed, d_is_signed;
  bool saturates;
  bool sums;  // the results are added to c, instead of being packed
};
static_assert(sizeof(Parts) <= sizeof(Instruction::immediate));

std::int32_t part(std::uint32_t word, unsigned at, unsigned bits, bool is_signed) {
  const auto up = word << (32 - bits - at);
  return is_signed ? static_cast<std::int32_t>(up) >> (32 - bits) : static_cast<std::int32_t>(up >> (32 - bits));
}

struct PartSum {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return a + b; }
};
struct PartDifference {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return a - b; }
};
struct PartDistance {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return std::abs(a - b); }
};
struct PartAverage {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return (a + b + (a + b >= 0)) >> 1; }
};
struct PartLeast {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return std::min(a, b); }
};
struct PartMost {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return std::max(a, b); }
};

template <class F>
std::uint32_t of_parts(const Parts& p, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t all = (1u << p.bits) - 1;
  const std::int32_t most = static_cast<std::int32_t>(p.d_is_signed ? all >> 1 : all);
  const std::int32_t least = p.d_is_signed ? -most - 1 : 0;
  std::uint32_t packed = 0;
  for (unsigned at = 0; at < 32; at += p.bits) {
    auto value = F::of(part(a, at, p.bits, p.a_is_signed), part(b, at, p.bits, p.b_is_signed));
    if (p.saturates) value = std::clamp(value, least, most);
    if (p.sums)
      c += static_cast<std::uint32_t>(value);
    else
      packed |= (static_cast<std::uint32_t>(value) & all) << at;
  }
  return p.sums ? c : packed;
}

template <class F>
void video_parts(Warp& w, const Instruction& i, Mask lanes) {
  Parts p;
  std::memcpy(&p, &i.immediate, sizeof p);
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  auto* const d = w.at<std::uint32_t>(i.d);
  each_lane(lanes, [=](unsigned l) { d[l] = of_parts<F>(p, a[l], b[l], c[l]); });
}

struct VideoShape {
  Handler run;
  std::uint8_t bits;
};

VideoShape video_shape_of(const Form& f) {
  switch (f.op()) {
    case Op::vadd2_:
      return {&video_parts<PartSum>, 16};
    case Op::vadd4_:
      return {&video_parts<PartSum>, 8};
    case Op::vsub2_:
      return {&video_parts<PartDifference>, 16};
    case Op::vsub4_:
      return {&video_parts<PartDifference>, 8};
    case Op::vabsdiff2_:
      return {&video_parts<PartDistance>, 16};
    case Op::vabsdiff4_:
      return {&video_parts<PartDistance>, 8};
    case Op::vavrg2_:
      return {&video_parts<PartAverage>, 16};
    case Op::vavrg4_:
      return {&video_parts<PartAverage>, 8};
    case Op::vmin2_:
      return {&video_parts<PartLeast>, 16};
    case Op::vmin4_:
      return {&video_parts<PartLeast>, 8};
    case Op::vmax2_:
      return {&video_parts<PartMost>, 16};
    case Op::vmax4_:
      return {&video_parts<PartMost>, 8};
    default:
      f.fail_types();
  }
}

}  // namespace

namespace decoders {

// Selectors of parts and masks behind the operands are not simulated: the parser refuses them.
void video(Form& f) {
  const auto types = f.types();
  if (types.size() != 3) f.fail_types();
  const auto shape = video_shape_of(f);
  const Parts p{shape.bits, is_signed(types[1]), is_signed(types[2]), is_signed(types[0]), f.has("sat"), f.has("add")};
  f.out.d = f.target(0, Type::b32);
  f.out.a = f.source(1, Type::b32);
  f.out.b = f.source(2, Type::b32);
  f.out.c = f.source(3, Type::b32);
  std::memcpy(&f.out.immediate, &p, sizeof p);
  f.out.run = shape.run;
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
