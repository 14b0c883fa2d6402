// Four bytes or two halves of a register at once: vadd4, vabsdiff2 and their kin, with whole registers.
#include <algorithm>

#include "ptx/form.hpp"
#include "ptx/lanes.hpp"

namespace nvmlkit::ptx {
namespace {

using Part = std::int32_t;

struct SumOfParts {
  static Part of(Part a, Part b) { return a + b; }
};
struct DifferenceOfParts {
  static Part of(Part a, Part b) { return a - b; }
};
struct DistanceOfParts {
  static Part of(Part a, Part b) { return a > b ? a - b : b - a; }
};
struct AverageOfParts {
  static Part of(Part a, Part b) { return (a + b + (a + b >= 0)) >> 1; }  // rounded away from zero
};
struct LeastOfParts {
  static Part of(Part a, Part b) { return std::min(a, b); }
};
struct GreatestOfParts {
  static Part of(Part a, Part b) { return std::max(a, b); }
};

// What is signed, and what becomes of the results; in an instruction's detail.
enum VideoFlag : std::uint8_t {
  kSignedPartsA = 1,
  kSignedPartsB = 2,
  kSignedPartsResult = 4,
  kSaturatesParts = 8,
  kAddsParts = 16
};

template <unsigned bits>
Part part_of(std::uint32_t word, unsigned index, bool is_signed) {
  const auto up = word << (32 - bits - index * bits);
  return is_signed ? static_cast<Part>(up) >> (32 - bits) : static_cast<Part>(up >> (32 - bits));
}

template <unsigned bits, class F>
void on_parts(Warp& w, const Instruction& i, Mask lanes) {
  auto* const d = w.at<std::uint32_t>(i.d);
  const auto* const a = w.at<std::uint32_t>(i.a);
  const auto* const b = w.at<std::uint32_t>(i.b);
  const auto* const c = w.at<std::uint32_t>(i.c);
  const unsigned flags = i.detail;
  const Part low = flags & kSignedPartsResult ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
  each_lane(lanes, [&](unsigned l) {
    std::uint32_t out = flags & kAddsParts ? c[l] : 0;
    for (unsigned k = 0; k < 32 / bits; ++k) {
      auto part = F::of(part_of<bits>(a[l], k, flags & kSignedPartsA), part_of<bits>(b[l], k, flags & kSignedPartsB));
      if (flags & kSaturatesParts) part = std::clamp(part, low, high);
      const auto cut = static_cast<std::uint32_t>(part);
      out = flags & kAddsParts ? out + cut : out | (cut & ((1u << bits) - 1)) << k * bits;
    }
    d[l] = out;
  });
}

template <class F>
Handler on_parts_of(bool bytes) {
  return bytes ? &on_parts<8, F> : &on_parts<16, F>;
}

}  // namespace

namespace decoders {

void packed_video(Form& f) {
  const auto types = f.types();
  if (types.size() != 3 || (f.has("sat") && f.has("add"))) f.fail_types();
  f.out.d = f.target(0, Type::b32);
  f.out.a = f.source(1, Type::b32);
  f.out.b = f.source(2, Type::b32);
  f.out.c = f.source(3, Type::b32);
  f.out.detail =
      static_cast<std::uint8_t>((is_signed(types[1]) ? kSignedPartsA : 0) | (is_signed(types[2]) ? kSignedPartsB : 0) |
                                (is_signed(types[0]) ? kSignedPartsResult : 0) | (f.has("sat") ? kSaturatesParts : 0) |
                                (f.has("add") ? kAddsParts : 0));
  switch (f.op()) {
    case Op::vadd2_:
    case Op::vadd4_:
      f.out.run = on_parts_of<SumOfParts>(f.op() == Op::vadd4_);
      break;
    case Op::vsub2_:
    case Op::vsub4_:
      f.out.run = on_parts_of<DifferenceOfParts>(f.op() == Op::vsub4_);
      break;
    case Op::vabsdiff2_:
    case Op::vabsdiff4_:
      f.out.run = on_parts_of<DistanceOfParts>(f.op() == Op::vabsdiff4_);
      break;
    case Op::vavrg2_:
    case Op::vavrg4_:
      f.out.run = on_parts_of<AverageOfParts>(f.op() == Op::vavrg4_);
      break;
    case Op::vmin2_:
    case Op::vmin4_:
      f.out.run = on_parts_of<LeastOfParts>(f.op() == Op::vmin4_);
      break;
    default:
      f.out.run = on_parts_of<GreatestOfParts>(f.op() == Op::vmax4_);
  }
}

}  // namespace decoders
}  // namespace nvmlkit::ptx
