#include "random_memory.hpp"

namespace nvmlkit::test {

void RandomMemory::memory(const std::string& guard) {
  switch (pick(10)) {
    case 0:
      return of_vectors(guard);
    case 1:
      return behind_check();
    case 2:
    case 3:
      return has_local_ ? of_local(guard) : own_words(guard);
    case 4:
      return clamped(guard);
    default:
      return own_words(guard);
  }
}

// At an index that is kept between two numbers, as a stencil does at the border of its array.
void RandomMemory::clamped(const std::string& guard) {
  const auto bound = [&] { return pick(3) ? std::to_string(pick(40)) : one_of({"%t2", "%t3", "%t1"}); };
  const auto limit = [&] {
    line(one_of({"max.s32", "min.s32"}) + " %t9, " + (pick(2) ? "%t9, " + bound() : bound() + ", %t9"));
  };
  line(pick(2) ? "and.b32 %t9, %t4, 15" : "mov.u32 %t9, %t4");
  line("add.s32 %t9, %t9, " + std::to_string(pick(17) - 8));
  limit();
  if (pick(2)) limit();
  line("max.s32 %t9, %t9, 0");
  line("min.s32 %t9, %t9, 500");
  if (pick(2)) {
    line("shl.b32 %t9, %t9, 2");
    line("add.s32 %t9, %t9, %t7");
    return line(guard + "ld.shared.u32 " + any("r") + ", [%t9+2048]");
  }
  line("mul.wide.u32 %a5, %t9, 4");
  line("add.s64 %a5, %a0, %a5");
  line(guard + "ld.global.u32 " + any("r") + ", [%a5]");
}

// Within the 64 words that a thread writes, or the shared words of the block.
void RandomMemory::own_words(const std::string& guard) {
  switch (pick(10)) {
    case 9:
      return copies(guard);
    case 6: {
      const auto what = one_of({"exch.b32 ", "inc.u32 ", "dec.u32 ", "add.u32 "});
      if (pick(2)) return line(guard + "atom.shared." + what + any("r") + ", [%t8], " + any("r"));
      return line(guard + "atom.global." + what + any("r") + ", [%a4+65768], " + any("r"));
    }
    case 7: {
      const bool is_shared = pick(2) != 0;
      const std::string at = is_shared ? ".shared.cas.b32 " : ".global.cas.b32 ";
      // Some of the lanes find what they expect.
      line(is_shared ? "ld.volatile.shared.u32 %t9, [%t8]" : "ld.relaxed.gpu.global.u32 %t9, [%a4+65772]");
      line("@" + any("p") + " add.s32 %t9, %t9, 1");
      return line(guard + "atom" + at + any("r") + (is_shared ? ", [%t8], %t9, " : ", [%a4+65772], %t9, ") + any("r"));
    }
    case 8:
      line(one_of({"st.volatile.shared.u32 [%t8], ", "st.volatile.global.u32 [%a4+65768], ",
                   "st.release.gpu.u32 [%a4+65768], "}) +
           any("r"));
      line(one_of({"membar.cta", "fence.acq_rel.gpu", "membar.gl"}));
      return line(guard + one_of({"ld.volatile.shared.u32 ", "ld.shared.u32 "}) + any("r") + ", [%t8]");
    case 0:
      line("and.b32 %t9, " + any("r") + ", 15");
      line("mul.wide.u32 %a5, %t9, 4");
      line("add.s64 %a5, %a2, %a5");
      return line(guard + "ld.global.u32 " + any("r") + ", [%a5]");
    case 1:
      line("and.b32 %t9, " + any("r") + ", 1020");
      line("add.s32 %t9, %t9, %t7");
      return line(guard + "ld.shared.u32 %t10, [%t9+2048]");  // nobody writes there
    case 2:
      return line(guard + "st.shared.u32 [%t8], " + any("r"));
    case 3:
      return line(guard + "ld.shared.u32 " + any("r") + ", [%t8]");
    case 4:
      return line(guard + one_of({"atom.shared.add.u32 ", "atom.shared.max.s32 ", "atom.shared.xor.b32 "}) + any("r") +
                  ", [%t8], " + any("r"));
    default:
      // Sums and least numbers, each in words of its own: the order of warps does not matter.
      if (pick(2))
        return line(guard + "red.global.add.u32 [%a0+" + std::to_string(60000 + 4 * pick(16)) + "], " + any("r"));
      return line(guard + "red.global.min.u32 [%a0+" + std::to_string(61000 + 4 * pick(16)) + "], " + any("r"));
  }
}

// Into 16 bytes of each thread in shared memory.
void RandomMemory::copies(const std::string& guard) {
  line("mad.lo.s32 %t9, %t4, 16, %t7");
  line("st.shared.v2.u64 [%t9+4096], {" + two("l") + "}");
  std::string from = "%a2";
  if (pick(2)) {
    line("mul.wide.u32 %a5, %t5, " + one_of({"16", "4096"}));
    line("and.b64 %a5, %a5, 65520");
    line("add.s64 %a5, %a0, %a5");
    from = "%a5";
  }
  const auto to = " [%t9+4096], [" + from + "+" + std::to_string(16 * pick(4)) + "], ";
  const auto bytes = one_of({"4", "8", "16", "16"});
  line(guard + (bytes == "16" && pick(2) ? "cp.async.cg" : "cp.async.ca") + ".shared.global" + to + bytes +
       (pick(4) ? "" : ", " + any("r")));
  line("cp.async.commit_group");
  line(one_of({"cp.async.wait_group 0", "cp.async.wait_all"}));
  line("ld.shared.u32 " + any("r") + ", [%t9+" + std::to_string(4096 + 4 * pick(4)) + "]");
}

// Several numbers, or less than a register; also those that all lanes read.
void RandomMemory::of_vectors(const std::string& guard) {
  const std::string from = pick(3) ? "%a2" : "%a0";
  switch (pick(5)) {
    case 0:
      return line(guard + "ld.global.v2.u32 {" + two("r") + "}, [" + from + "+" + std::to_string(8 * pick(8)) + "]");
    case 1:
      return line(guard + "ld.global.v2.f64 {" + two("d") + "}, [" + from + "+" + std::to_string(16 * pick(4)) + "]");
    case 2:
      return line(guard + one_of({"ld.global.u8 ", "ld.global.s8 ", "ld.u16 ", "ld.global.s16 "}) + any("r") + ", [" +
                  from + "+" + std::to_string(2 * pick(32)) + "]");
    case 3:
      return line(guard + "st.global.v2.u32 [%a4+65768], {" + any("r") + ", " + any("r") + "}");
    default:
      return line(guard + one_of({"st.u8 [%a4+65776], ", "st.global.u16 [%a4+65778], "}) + any("r"));
  }
}

// Where only lanes with a good address reach memory.
void RandomMemory::behind_check() {
  line("and.b32 %t9, " + any("r") + ", " + one_of({"63", "1048575", "31"}));
  line("setp.lt.u32 %p7, %t9, 16");
  line("mul.wide.u32 %a5, %t9, 4096");
  line("add.s64 %a5, %a0, %a5");
  line("@%p7 " + one_of({"ld.global.u32 ", "ld.u32 "}) + any("r") + ", [%a5+" + std::to_string(4 * pick(4)) + "]");
  // A row that ends beyond the memory.
  line("mul.wide.u32 %a5, %t5, 4");
  line("add.s64 %a5, %a0, %a5");
  line("setp.lt.u32 %p6, %t5, 40");
  line("@%p6 ld.global.f32 " + any("f") + ", [%a5+261980]");
}

// 64 words of each thread, by their own addresses and by generic ones.
void RandomMemory::of_local(const std::string& guard) {
  const auto type = one_of({"u32", "s32", "b32"});
  const auto at = std::to_string(4 * pick(48)), wide = std::to_string(8 * pick(24));
  const auto four = std::to_string(16 * pick(12)), byte = std::to_string(pick(192)),
             half = std::to_string(2 * pick(96));
  switch (pick(12)) {
    case 0:
      return line(guard + "st.local." + type + " [%a6+" + at + "], " + any("r"));
    case 1:
      return line(guard + "ld.local." + type + " " + any("r") + ", [%a6+" + at + "]");
    case 2:
      return line(guard + "st.local.f64 [mine+" + wide + "], " + any("d"));
    case 3:
      return line(guard + "ld.local.v2.u32 {" + two("r") + "}, [mine+" + wide + "]");
    case 4:
      return line(guard + one_of({"st.u32 [%a7+", "st.volatile.u32 [%a7+"}) + at + "], " + any("r"));
    case 5:
      return line(guard + "ld.u32 " + any("r") + ", [%a7+" + at + "]");
    case 6:
      if (pick(2)) return line(guard + "st.local.u8 [%a6+" + byte + "], " + any("r"));
      return line(guard + "st.local.u16 [mine+" + half + "], " + any("r"));
    case 7:
      return line(guard + one_of({"ld.local.s8 ", "ld.local.u8 "}) + any("r") + ", [mine+" + byte + "]");
    case 8:
      return line(guard + one_of({"ld.s16 ", "ld.u16 "}) + any("r") + ", [%a7+" + half + "]");
    case 9:
      return line(guard + one_of({"st.local.v4.u32 [mine+", "st.v4.u32 [%a7+"}) + four + "], {" + two("r") + ", " +
                  two("r") + "}");
    case 10:
      if (pick(2)) return line(guard + "ld.local.v2.f64 {" + two("d") + "}, [%a6+" + four + "]");
      return line(guard + "ld.v4.u32 {_, " + two("r") + ", _}, [%a7+" + four + "]");
    default:
      line("and.b32 %t9, " + any("r") + ", 188");
      line("cvt.u64.u32 %a5, %t9");
      if (pick(3)) {
        line("add.s64 %a5, %a6, %a5");
      } else {  // of a local address, a GPU makes one that is nowhere
        line("add.s64 %a5, %a7, %a5");
        line("cvta.to.local.u64 %a5, %a5");
      }
      if (pick(2)) return line(guard + "st.local.u32 [%a5], " + any("r"));
      return line(guard + "ld.local.u32 " + any("r") + ", [%a5]");
  }
}

}  // namespace nvmlkit::test
