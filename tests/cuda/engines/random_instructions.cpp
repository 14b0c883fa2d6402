#include "random_instructions.hpp"

namespace nvmlkit::test {

std::string RandomInstructions::of_words() {
  const auto d = any("r"), a = any("r"), b = pick(3) ? any("r") : std::to_string(pick(100));
  switch (pick(12)) {
    case 10:
      return one_of({"dp4a.u32.u32 ", "dp4a.s32.u32 ", "dp4a.u32.s32 ", "dp4a.s32.s32 ", "dp2a.lo.s32.s32 ",
                     "dp2a.hi.u32.u32 ", "dp2a.lo.u32.s32 ", "dp2a.hi.s32.u32 ", "sad.s32 ", "sad.u32 ",
                     "mad24.lo.s32 ", "mad24.lo.u32 ", "mad.hi.s32 ", "mad.hi.u32 "}) +
             d + ", " + a + ", " + b + ", " + any("r");
    case 11:
      return one_of({"mul24.lo.s32 ", "mul24.lo.u32 ", "mul24.hi.u32 "}) + d + ", " + a + ", " + b;
    case 0:
      return "mad.lo.s32 " + d + ", " + a + ", " + b + ", " + any("r");
    case 1:
      return one_of({"shl.b32 ", "shr.u32 ", "shr.s32 "}) + d + ", " + a + ", " + std::to_string(pick(40));
    case 2:
      return one_of({"shl.b32 ", "shr.u32 ", "shr.s32 "}) + d + ", " + a + ", " + any("r");
    case 3:
      return one_of({"not.b32 ", "neg.s32 ", "abs.s32 ", "popc.b32 ", "clz.b32 ", "brev.b32 ", "bfind.u32 ",
                     "bfind.s32 ", "bfind.shiftamt.u32 ", "bfind.shiftamt.s32 "}) +
             d + ", " + a;
    case 4:
      return "lop3.b32 " + d + ", " + a + ", " + any("r") + ", " + any("r") + ", " + std::to_string(pick(256));
    case 5:
      return one_of({"div.u32 ", "rem.s32 ", "mul.hi.u32 ", "mul.hi.s32 "}) + d + ", " + a + ", " + any("r");
    default:
      return one_of({"add.s32 ", "sub.s32 ", "mul.lo.s32 ", "and.b32 ", "or.b32 ", "xor.b32 ", "min.s32 ", "max.u32 ",
                     "min.u32 ", "max.s32 "}) +
             d + ", " + a + ", " + b;
  }
}

// Fields, bytes, halves of registers.
std::string RandomInstructions::of_parts() {
  const auto words = [&](int count) {
    std::string out = any("r");
    for (int k = 1; k < count; ++k) out += ", " + any("r");
    return out;
  };
  const auto number = [&](int below) { return ", " + std::to_string(pick(below)); };
  // Of a field: often the number of the thread.
  const auto place = [&] { return ", " + (pick(2) ? std::string("%t4") : any("r")); };
  switch (pick(10)) {
    case 8:
      return "bmsk.clamp.b32 " + words(1) + place() + (pick(2) ? number(36) : place());
    case 0:
      return "mov.b64 " + any("l") + ", {" + words(2) + "}";
    case 1:
      return "mov.b64 {" + two("r") + "}, " + any("l");
    case 2:
      return "mov.b32 " + any("r") + ", {" + any("h") + ", " + any("h") + "}";
    case 3:
      return "mov.b32 {" + two("h") + "}, " + any("r");
    case 4:
      return "prmt.b32 " + words(3) + ", " + (pick(4) ? std::to_string(pick(65536)) : any("r"));
    case 5:
      return "bfi.b32 " + words(3) + (pick(2) ? number(36) + number(36) : place() + place());
    case 6:
      return one_of({"bfe.u32 ", "bfe.s32 "}) + words(2) + (pick(2) ? number(36) + number(36) : place() + place());
    case 7:
      if (pick(4) == 0) return "bfi.b64 " + any("l") + ", " + any("l") + ", " + any("l") + place() + place();
      return one_of({"bfe.u64 ", "bfe.s64 "}) + any("l") + ", " + any("l") + number(70) + number(70);
    default:
      return one_of({"shf.l.wrap.b32 ", "shf.r.wrap.b32 ", "shf.l.clamp.b32 ", "shf.r.clamp.b32 "}) + words(3) +
             (pick(2) ? number(40) : ", " + any("r"));
  }
}

std::string RandomInstructions::of_reals() {
  const bool wide = pick(2) != 0;
  const std::string kind = wide ? "d" : "f", type = wide ? "f64 " : "f32 ";
  switch (pick(5)) {
    case 0:
      return "fma" + one_of({".rn.", ".rn.", ".rm.", ".rz.", ".rp."}) + type + any(kind.c_str()) + ", " +
             any(kind.c_str()) + ", " + any(kind.c_str()) + ", " + any(kind.c_str());
    case 1:
      return one_of({"neg.", "abs."}) + type + any(kind.c_str()) + ", " + any(kind.c_str());
    case 2:
      if (!wide && pick(2))
        return one_of({"ex2.approx.f32 ", "ex2.approx.ftz.f32 ", "rcp.approx.ftz.f32 ", "rsqrt.approx.f32 ",
                       "sin.approx.f32 ", "cos.approx.ftz.f32 ", "lg2.approx.f32 ", "lg2.approx.ftz.f32 ",
                       "tanh.approx.f32 "}) +
               any("f") + ", " + any("f");
      return one_of({"sqrt.rn.", "rcp.rn."}) + type + any(kind.c_str()) + ", " + any(kind.c_str());
    case 3:
      return one_of({"div.rn.", "min.", "max.", "copysign."}) + type + any(kind.c_str()) + ", " + any(kind.c_str()) +
             ", " + any(kind.c_str());
    default:
      return one_of({"add.", "sub.", "mul.", "add.rz.", "mul.rp.", "sub.rm.", "add.rm."}) + type + any(kind.c_str()) +
             ", " + any(kind.c_str()) + ", " + any(kind.c_str());
  }
}

std::string RandomInstructions::of_long() {
  switch (pick(8)) {
    case 5:
      return one_of({"mul.hi.s64 ", "mul.hi.u64 "}) + any("l") + ", " + any("l") + ", " + any("l");
    case 6:
      return one_of({"mad.hi.s64 ", "mad.hi.u64 ", "sad.s64 ", "sad.u64 "}) + any("l") + ", " + any("l") + ", " +
             any("l") + ", " + any("l");
    case 7:
      return one_of(
                 {"popc.b64 ", "clz.b64 ", "bfind.u64 ", "bfind.s64 ", "bfind.shiftamt.u64 ", "bfind.shiftamt.s64 "}) +
             any("r") + ", " + any("l");
    case 3:
      return one_of({"mul.wide.s16 ", "mul.wide.u16 "}) + any("r") + ", " + any("h") + ", " + any("h");
    case 0:
      return one_of({"mul.wide.s32 ", "mul.wide.u32 "}) + any("l") + ", " + any("r") + ", " +
             (pick(2) ? any("r") : std::to_string(pick(64)));
    case 1:
      return one_of({"mad.wide.s32 ", "mad.wide.u32 "}) + any("l") + ", " + any("r") + ", " + any("r") + ", " +
             any("l");
    case 2:
      return one_of({"shl.b64 ", "shr.s64 ", "shr.u64 "}) + any("l") + ", " + any("l") + ", " + any("r");
    default:
      return one_of({"add.s64 ", "sub.s64 ", "mul.lo.s64 ", "and.b64 ", "xor.b64 ", "min.s64 ", "max.u64 "}) +
             any("l") + ", " + any("l") + ", " + any("l");
  }
}

std::string RandomInstructions::comparison() {
  const auto relation = one_of({"eq", "ne", "lt", "le", "gt", "ge"});
  switch (pick(6)) {
    case 4:
      return "set." + relation + one_of({"", ".ftz", "u", "u.ftz"}) + one_of({".u32.f32 ", ".s32.f32 ", ".f32.f32 "}) +
             any("r") + ", " + any("f") + ", " + any("f");
    case 5:
      if (pick(2)) return "set." + relation + ".u32.f64 " + any("r") + ", " + any("d") + ", " + any("d");
      return "set." + relation + one_of({".u32.s32 ", ".f32.u32 "}) + any("r") + ", " + any("r") + ", " + any("r");
    case 0:
      return "setp." + one_of({"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "lt", "ge"}) + ".f32 " +
             any("p") + ", " + any("f") + ", " + any("f");
    case 1:
      return "setp." + relation + one_of({".and", ".or", ".xor"}) + ".s32 " + any("p") + "|" + any("p") + ", " +
             any("r") + ", " + any("r") + ", " + (pick(2) ? "!" : "") + any("p");
    case 2:
      return "setp." + relation + one_of({".u64 ", ".s64 "}) + any("p") + ", " + any("l") + ", " + any("l");
    default:
      return "setp." + relation + one_of({".u32 ", ".s32 "}) + any("p") + ", " + any("r") + ", " + any("r");
  }
}

// To the ends of a type, and of numbers that are narrower than their registers.
std::string RandomInstructions::narrow_conversion() {
  switch (pick(8)) {
    case 6:
      return one_of({"cvt.s64.s32 ", "cvt.u64.u32 ", "cvt.s64.s16 ", "cvt.u64.u8 ", "cvt.s32.s64 ", "cvt.u8.u32 ",
                     "cvt.s64.u32 ", "cvt.u64.s8 ", "cvt.sat.s32.s64 ", "cvt.s16.s32 "}) +
             any("l") + ", " + any("l");
    case 7:
      return one_of({"cvt.s64.s16 ", "cvt.u64.u16 ", "cvt.s64.s8 ", "cvt.u64.s16 "}) + any("l") + ", " + any("h");
    case 0:
      return one_of({"cvt.sat.f32.f32 ", "cvt.ftz.sat.f32.f32 ", "cvt.rni.sat.f32.f32 ", "cvt.ftz.f32.f32 "}) +
             any("f") + ", " + any("f");
    case 1:
      return one_of({"cvt.s32.s8 ", "cvt.u32.u8 ", "cvt.s32.s16 ", "cvt.u32.s16 ", "cvt.sat.u8.s32 ", "cvt.sat.s8.s32 ",
                     "cvt.sat.u16.u32 ", "cvt.sat.s16.u32 ", "cvt.sat.u32.s32 ", "cvt.sat.s32.u32 ", "cvt.u8.u32 ",
                     "cvt.s8.s32 ", "cvt.sat.s8.u8 ", "cvt.sat.u8.s8 "}) +
             any("r") + ", " + any("r");
    case 2:
      return one_of({"cvt.s16.s8 ", "cvt.u16.u8 ", "cvt.sat.s8.s16 ", "cvt.sat.u8.u16 ", "cvt.u8.u16 "}) + any("h") +
             ", " + any("h");
    case 3:
      return one_of({"cvt.rn.f32.u8 ", "cvt.rn.f32.s8 ", "cvt.rn.f32.s16 "}) + any("f") + ", " + any("r");
    case 4:
      return one_of({"cvt.rzi.u8.f32 ", "cvt.rni.sat.s8.f32 ", "cvt.rzi.u16.f32 ", "cvt.rmi.s16.f32 ",
                     "cvt.rni.sat.u32.f32 "}) +
             any("r") + ", " + any("f");
    default:
      return one_of({"cvt.sat.u32.s64 ", "cvt.sat.s32.u64 ", "cvt.sat.s32.s64 ", "cvt.sat.u8.s64 "}) + any("r") + ", " +
             any("l");
  }
}

std::string RandomInstructions::conversion() {
  if (pick(4) == 0) return narrow_conversion();
  switch (pick(15)) {
    case 9:
      return one_of({"cvt.f32.f16 ", "cvt.f32.bf16 "}) + any("f") + ", " + any("h");
    case 10:
      return one_of({"cvt.rn.f16.f32 ", "cvt.rn.bf16.f32 ", "cvt.rz.f16.f32 "}) + any("h") + ", " + any("f");
    case 11:
      return one_of({"cvt.rzi.s32.f64 ", "cvt.rni.u32.f64 "}) + any("r") + ", " + any("d");
    case 12:
      return one_of({"cvt.rni.s64.f64 ", "cvt.rmi.u64.f64 ", "cvt.rpi.s64.f64 "}) + any("l") + ", " + any("d");
    case 13:
      return one_of({"cvt.rni.f32.f32 ", "cvt.rmi.f32.f32 ", "cvt.rzi.f32.f32 "}) + any("f") + ", " + any("f");
    case 14:
      return one_of({"cvt.rni.s32.f32 ", "cvt.rpi.u32.f32 "}) + any("r") + ", " + any("f");
    case 0:
      return "cvt.rn.f32.s32 " + any("f") + ", " + any("r");
    case 1:
      return "cvt.rn.f32.u32 " + any("f") + ", " + any("r");
    case 2:
      return "cvt.rzi.s32.f32 " + any("r") + ", " + any("f");
    case 3:
      return "cvt.rzi.u32.f32 " + any("r") + ", " + any("f");
    case 4:
      return "cvt.f64.f32 " + any("d") + ", " + any("f");
    case 5:
      return "cvt.rn.f32.f64 " + any("f") + ", " + any("d");
    case 6:
      return one_of({"cvt.s64.s32 ", "cvt.u64.u32 "}) + any("l") + ", " + any("r");
    case 7:
      return one_of({"cvt.u32.u64 ", "cvt.s32.s64 "}) + any("r") + ", " + any("l");
    default:
      return one_of({"cvt.u16.u32 ", "cvt.s16.s32 "}) + any("h") + ", " + any("r");
  }
}

std::string RandomInstructions::choice() {
  switch (pick(5)) {
    case 0:
      return "selp.f64 " + any("d") + ", " + any("d") + ", " + any("d") + ", " + any("p");
    case 1:
      return "selp.b64 " + any("l") + ", " + any("l") + ", " + any("l") + ", " + any("p");
    case 2:
      return one_of({"and.pred ", "or.pred ", "xor.pred "}) + any("p") + ", " + any("p") + ", " + any("p");
    case 3:
      return "mov.b32 " + any("r") + ", " + one_of({"%tid.x", "%laneid", "%ctaid.x", "%t5", "17"});
    default:
      return "selp.b32 " + any("r") + ", " + any("r") + ", " + any("r") + ", " + any("p");
  }
}

}  // namespace nvmlkit::test
