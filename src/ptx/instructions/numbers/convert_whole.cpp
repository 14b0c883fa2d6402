// cvt between whole numbers, which may lie in wider registers: all lanes at once.
#include "ptx/instructions/numbers/conversion.hpp"
#include "ptx/instructions/numbers/numbers.hpp"

namespace nvmlkit::ptx {
namespace {

// The number of some of the lowest bits.
struct Lowest {
  explicit Lowest(Type type)
      : mask(~std::uint64_t{0} >> (64 - 8 * size_of(type))), sign(is_signed(type) ? mask / 2 + 1 : 0) {}
  std::uint64_t operator()(std::uint64_t bits) const { return ((bits & mask) ^ sign) - sign; }
  std::uint64_t mask, sign;
};

template <class To, class From>
void between(Warp& w, const Instruction& i, Mask lanes) {
  const auto c = conversion_of(i);
  const Lowest from(c.from), to(c.to);
  auto* const d = w.at<To>(i.d);
  const auto* const a = w.at<From>(i.a);
  const auto one = [=](unsigned l) { d[l] = static_cast<To>(to(from(a[l]))); };
  if (lanes != kAllLanes) return each_lane(lanes, one);
#pragma GCC ivdep
  for (unsigned l = 0; l < kLanes; ++l) one(l);
}

template <class To>
Handler into(unsigned from_register) {
  switch (from_register) {
    case 1:
      return best<&between<To, std::uint8_t>>();
    case 2:
      return best<&between<To, std::uint16_t>>();
    case 4:
      return best<&between<To, std::uint32_t>>();
    case 8:
      return best<&between<To, std::uint64_t>>();
    default:
      return nullptr;
  }
}

}  // namespace

Handler whole_conversion(const Conversion& c) {
  if (!is_whole(c.to) || !is_whole(c.from)) return nullptr;
  switch (c.to_register) {
    case 1:
      return into<std::uint8_t>(c.from_register);
    case 2:
      return into<std::uint16_t>(c.from_register);
    case 4:
      return into<std::uint32_t>(c.from_register);
    case 8:
      return into<std::uint64_t>(c.from_register);
    default:
      return nullptr;
  }
}

}  // namespace nvmlkit::ptx
