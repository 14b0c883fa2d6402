// Numbers of 16 bits, and pairs of them.
#include "random_instructions.hpp"

namespace nvmlkit::test {

std::string RandomInstructions::of_halves() {
  const bool pair = pick(2) != 0;
  const char* const kind = pair ? "r" : "h";
  const bool brain = pick(2) != 0;
  const std::string type = std::string(brain ? "bf16" : "f16") + (pair ? "x2 " : " ");
  const std::string dot = "." + type, ftz = !brain && pick(3) == 0 ? ".ftz" : "";
  const auto d = any(kind), a = any(kind), b = any(kind), c = any(kind);
  const auto two = d + ", " + a + ", " + b;
  switch (pick(8)) {
    case 0:
      return one_of({"add", "sub", "mul"}) + std::string(pick(2) ? ".rn" : "") + ftz + dot + two;
    case 1:
      if (brain) return "fma.rn.relu" + dot + two + ", " + c;
      return one_of({"add", "sub", "mul"}) + ftz + ".sat" + dot + two;
    case 2:
    case 3:
      return "fma.rn" + ftz + (brain || pick(3) ? "" : pick(2) ? ".sat" : ".relu") + dot + two + ", " + c;
    case 4:
      return one_of({"min", "max", "min.NaN", "max.NaN"}) + dot + two;
    case 5:
      return one_of({"neg", "abs"}) + dot + d + ", " + a;
    case 6: {
      const auto relation = one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "num", "nan"});
      const auto same = "." + type.substr(0, type.size() - 1);
      if (pick(3) == 0)
        return "set." + relation + (pair || pick(2) ? ".u32" : ".s32") + dot + any("r") + ", " + a + ", " + b;
      if (pick(2)) return "set." + relation + same + dot + two;
      if (pair) return "setp." + relation + dot + any("p") + "|" + any("p") + ", " + a + ", " + b;
      return "setp." + relation + dot + any("p") + ", " + a + ", " + b;
    }
    default:
      return conversion_of_halves();
  }
}

std::string RandomInstructions::conversion_of_halves() {
  const auto half = one_of({"f16", "bf16"});
  switch (pick(8)) {
    case 0:
      return "cvt.rn" + std::string(pick(3) ? "" : ".relu") + "." + half + "x2.f32 " + any("r") + ", " + any("f") +
             ", " + any("f");
    case 1:
      return "cvt.rn." + half + one_of({".s32 ", ".u32 "}) + any("h") + ", " + any("r");
    case 2:
      return "cvt.rn." + half + one_of({".s16 ", ".u16 "}) + any("h") + ", " + any("h");
    case 3:
      return "cvt.rn." + half + ".f64 " + any("h") + ", " + any("d");
    case 4:
      return "cvt." + one_of({"rni", "rzi", "rmi", "rpi"}) + one_of({".s32.", ".u32."}) + half + " " + any("r") + ", " +
             any("h");
    case 5:
      return "cvt." + one_of({"rni", "rzi", "rmi", "rpi"}) + one_of({".s16.", ".u16."}) + half + " " + any("h") + ", " +
             any("h");
    case 6:
      return "cvt.rzi" + one_of({".s64.", ".u64."}) + half + " " + any("l") + ", " + any("h");
    default:
      if (pick(2)) return "cvt.f64." + half + " " + any("d") + ", " + any("h");
      return "cvt." + one_of({"rni.", "rzi.", "rmi."}) + half + "." + half + " " + any("h") + ", " + any("h");
  }
}

}  // namespace nvmlkit::test
