// Rounding, flushing of subnormal numbers and saturation around a handler.
#pragma once

#include "ptx/decode/form.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// What an instruction does besides its function.
struct FloatMode {
  Rounding rounding = Rounding::nearest;
  bool flushes = false;    // subnormal f32 count as zero
  bool saturates = false;  // into [0, 1]

  bool any() const { return rounding != Rounding::nearest || flushes || saturates; }
  static FloatMode of(const Form& form);
  std::uint8_t packed() const;
};

// Sets what the host's floating point unit does, until it ends.
class FloatUnit {
 public:
  explicit FloatUnit(std::uint8_t packed);
  ~FloatUnit();
  FloatUnit(const FloatUnit&) = delete;
  FloatUnit& operator=(const FloatUnit&) = delete;

 private:
  unsigned before_;
};

inline constexpr std::uint8_t kSaturates = 8;

template <class T>
struct Saturate {
  static T of(T v) { return v > T{0} ? (v < T{1} ? v : T{1}) : T{0}; }
};

// `inner` with the mode of Form, as a handler of its own. The mode lies in `detail`.
template <Handler inner, class T>
void in_mode(Warp& w, const Instruction& i, Mask lanes) {
  {
    const FloatUnit unit(i.detail);
    inner(w, i, lanes);
  }
  if (!(i.detail & kSaturates)) return;
  auto* const d = w.at<T>(i.d);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1) d[lane] = Saturate<T>::of(d[lane]);
}

}  // namespace nvmlkit::ptx
