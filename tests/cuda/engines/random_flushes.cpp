// Small numbers that count as zero, and sums that stay between 0 and 1.
#include "random_instructions.hpp"

namespace nvmlkit::test {

std::string RandomInstructions::of_flushes() {
  const auto d = any("f"), a = any("f"), b = any("f"), c = any("f");
  // Small numbers, and those with small products.
  const auto small = one_of({"0f00812345", "0f80412345", "0f00000001", "0f1FC00001", "0f5F000003", "0f9FFFFFFF",
                             "0f20000000", "0f00800000", "0f3F7FFFFF", "0f00FFFFFF", "0f3F000000"});
  const auto x = pick(3) ? a : small, y = pick(3) ? b : small;
  const std::string sat = pick(4) == 0 ? ".sat" : "";
  switch (pick(9)) {
    case 0:
      return "mov.f32 " + d + ", " + small;
    case 1:
    case 2:
      return one_of(
                 {"add.ftz", "sub.ftz", "mul.ftz", "mul.ftz", "mul.rn.ftz", "add.rz.ftz", "mul.rm.ftz", "sub.rp.ftz"}) +
             sat + ".f32 " + d + ", " + x + ", " + y;
    case 3:
      return one_of({"fma.rn.ftz", "fma.rn.ftz", "fma.rm.ftz", "fma.rz.ftz", "fma.rp.ftz"}) + sat + ".f32 " + d + ", " +
             x + ", " + y + ", " + c;
    case 4:
      return one_of({"div.rn.ftz.f32 ", "div.full.ftz.f32 ", "div.approx.ftz.f32 "}) + d + ", " + x + ", " + y;
    case 5:
      return one_of({"sqrt.rn.ftz.f32 ", "sqrt.approx.ftz.f32 ", "rsqrt.approx.ftz.f32 ", "rcp.rn.ftz.f32 ",
                     "neg.ftz.f32 ", "abs.ftz.f32 "}) +
             d + ", " + a;
    case 6:
      return one_of({"min.ftz.f32 ", "max.ftz.f32 "}) + d + ", " + x + ", " + y;
    case 7:
      return one_of({"setp.lt.ftz.f32 ", "setp.equ.ftz.f32 ", "setp.neu.ftz.f32 "}) + any("p") + ", " + x + ", " + y;
    default:
      return conversion_with_flush();
  }
}

std::string RandomInstructions::conversion_with_flush() {
  switch (pick(5)) {
    case 0:
      return "cvt.rn.ftz.f32.f64 " + any("f") + ", " + any("d");
    case 1:
      return "cvt.ftz.f64.f32 " + any("d") + ", " + any("f");
    case 2:
      return one_of({"cvt.rni.ftz.s32.f32 ", "cvt.rpi.ftz.u32.f32 ", "cvt.rmi.ftz.s32.f32 "}) + any("r") + ", " +
             any("f");
    case 3:
      return one_of({"cvt.rni.ftz.f32.f32 ", "cvt.rpi.ftz.f32.f32 "}) + any("f") + ", " + any("f");
    default:
      return one_of({"cvt.rn.ftz.f16.f32 ", "cvt.rn.f16.f32 "}) + any("h") + ", " + any("f");
  }
}

}  // namespace nvmlkit::test
