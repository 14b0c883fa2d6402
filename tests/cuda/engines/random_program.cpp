#include "random_program.hpp"

#include <utility>

#include "random_memory.hpp"

namespace nvmlkit::test {
namespace {

class Writer : RandomMemory {
 public:
  using RandomMemory::RandomMemory;

  std::string write() {
    begin();
    const int parts = 3 + pick(5);
    for (int k = 0; k < parts; ++k) part(2);
    end();
    return text_;
  }

 private:
  void begin() {
    text_ =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 data, .param .u32 count, "
        ".param .u32 factor) {\n"
        "  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b32 %t<16>; .reg .f32 %f<8>; .reg .f64 %d<8>; "
        ".reg .b64 %l<8>; .reg .b64 %a<16>;\n  .shared .align 16 .b8 own[20480];\n";
    if (has_local_) text_ += "  .local .align 16 .b8 mine[256];\n  mov.u64 %a6, mine;\n  cvta.local.u64 %a7, %a6;\n";
    for (const auto* const l : {"ld.param.u64 %a0, [data]",
                                "ld.param.u32 %t0, [count]",
                                "ld.param.u32 %t1, [factor]",
                                "mov.u32 %t2, %ctaid.x",
                                "mov.u32 %t3, %ntid.x",
                                "mov.u32 %t9, %tid.y",
                                "mov.u32 %t4, %tid.x",
                                "mad.lo.s32 %t4, %t9, %t3, %t4",
                                "mov.u32 %t9, %ntid.y",
                                "mul.lo.s32 %t3, %t3, %t9",
                                "mad.lo.s32 %t5, %t2, %t3, %t4",
                                "mul.wide.u32 %a1, %t5, 64",
                                "add.s64 %a2, %a0, %a1",
                                "mul.wide.u32 %a3, %t5, 256",
                                "add.s64 %a4, %a0, %a3",
                                "shl.b32 %t6, %t4, 2",
                                "mov.u32 %t7, own",
                                "add.s32 %t8, %t7, %t6",
                                "mov.u32 %t12, -1",
                                "and.b32 %t13, %t4, 16",
                                "shl.b32 %t13, 65535, %t13",
                                "st.shared.u32 [%t8], %t5",
                                "bar.sync 0"})
      line(l);
    for (int k = 0; k < kNumbers; ++k) {
      const auto n = std::to_string(k), at = std::to_string(4 * k), wide = std::to_string(8 * (k % 7));
      line("ld.global.u32 %r" + n + ", [%a2+" + at + "]");
      line("ld.global.f32 %f" + n + ", [%a2+" + std::to_string(32 + 4 * (k % 8)) + "]");
      line("ld.global.u64 %l" + n + ", [%a2+" + wide + "]");
      line("cvt.f64.f32 %d" + n + ", %f" + n);
      line("cvt.u16.u32 %h" + n + ", %r" + n);
      line("setp.lt.s32 %p" + n + ", %r" + n + ", " + std::to_string(pick(1000)));
    }
    // Local memory has any content at the start of a kernel.
    for (int at = 0; has_local_ && at < 256; at += 8) line("st.local.u64 [mine+" + std::to_string(at) + "], 0");
  }

  // Each lane's values, and what the block shares.
  void end() {
    line("bar.sync 0");
    line("ld.shared.u32 %t9, [%t8]");
    line("st.global.u32 [%a4+65536], %t9");
    for (int k = 0; k < kNumbers; ++k) {
      const auto n = std::to_string(k);
      const auto at = [&](int words) { return " [%a4+" + std::to_string(65536 + 4 * words) + "], "; };
      line("st.global.u32" + at(1 + k) + "%r" + n);
      line("st.global.f32" + at(9 + k) + "%f" + n);
      line("st.global.u64" + at(18 + 2 * k) + "%l" + n);
      line("st.global.f64" + at(34 + 2 * k) + "%d" + n);
      line("selp.u32 %t9, 1, 0, %p" + n);
      line("cvt.u32.u16 %t10, %h" + n);
      line("shl.b32 %t10, %t10, 1");
      line("or.b32 %t9, %t9, %t10");
      line("st.global.u32" + at(50 + k) + "%t9");
    }
    if (pick(2)) end_one_by_one();
    text_ += "  ret;\n}\n";
  }

  // Threads end at different times, as those do that find nothing to do.
  void end_one_by_one() {
    const bool has_loop = pick(2);
    const auto way = has_loop ? one_of({"bra LAST", "bra LAST", "exit", "ret"}) : "bra LAST";
    line("mov.u32 %t11, 0");
    text_ += "LATE:\n";
    line("shr.u32 %t10, %t5, %t11");
    line("and.b32 %t10, %t10, 1");
    line("setp.eq.u32 %p7, %t10, " + std::to_string(pick(2)));
    line("@%p7 " + way);
    line("add.s32 %t11, %t11, 1");
    line("mad.lo.s32 %r0, %r1, %t11, %r0");
    line("st.global.u32 [%a4+65540], %r0");
    if (has_loop) {
      line("setp.lt.u32 %p7, %t11, " + std::to_string(2 + pick(5)));
      line("@%p7 bra LATE");
    }
    text_ += "LAST:\n";
  }

  void part(int depth) {
    const int what = pick(10);
    if (depth == 0 || what < 5) return straight();
    if (what < 7) return loop(depth);
    if (what < 8) return branch(depth);
    if (!is_whole_) return straight();
    for (int left = pick(4); left >= 0; --left) exchange();
  }

  void straight() {
    const int count = 3 + pick(10);
    for (int k = 0; k < count; ++k) instruction();
  }

  void loop(int depth) {
    const auto n = std::to_string(labels_++);
    const auto counter = "%t" + std::to_string(11 + depth), guard = "%p" + std::to_string(pick(kNumbers));
    line("mov.u32 " + counter + ", " + std::to_string(pick(3)));
    text_ += "LOOP" + n + ":\n";
    // As often for all threads, or by each thread's number.
    const int by_number = pick(2) == 0 ? 0 : pick(4);
    const bool may_end = by_number != 0 && pick(2);
    parts_of_warp(depth - 1, 1, by_number == 0);
    if (may_end) line("@" + any("p") + " bra ENDED" + n);
    parts_of_warp(depth - 1, 1, by_number == 0);
    line("add.s32 " + counter + ", " + counter + ", 1");
    line("and.b32 %t10, %t5, " + std::to_string(by_number));
    line("add.s32 %t10, %t10, " + std::to_string(2 + pick(4)));
    line("setp.lt.s32 " + guard + ", " + counter + ", %t10");
    line("@" + guard + " bra LOOP" + n);
    if (may_end) text_ += "ENDED" + n + ":\n";
  }

  // For all lanes of the warps, or for some: those cannot exchange anything with the others.
  void parts_of_warp(int depth, int count, bool is_whole) {
    const bool before = is_whole_;
    is_whole_ &= is_whole;
    for (int k = 0; k < count; ++k) part(depth);
    is_whole_ = before;
  }

  void branch(int depth) {
    const auto n = std::to_string(labels_++);
    line("@" + std::string(pick(2) ? "!" : "") + any("p") + " bra OTHER" + n);
    some_lanes(depth);
    if (pick(3)) {
      line("bra.uni DONE" + n);
      text_ += "OTHER" + n + ":\n";
      some_lanes(depth);
    } else {
      text_ += "OTHER" + n + ":\n";
    }
    text_ += "DONE" + n + ":\n";
  }

  // Of a branch: short, so that the lanes meet again in the same piece of code, or any part.
  void some_lanes(int depth) {
    if (pick(2) == 0) return parts_of_warp(depth - 1, 1, false);
    const bool before = std::exchange(is_whole_, false);
    const int count = pick(5);
    for (int k = 0; k < count; ++k) instruction();
    if (pick(3) == 0) {
      const auto n = std::to_string(labels_++);
      line("@" + any("p") + " bra SOON" + n);
      for (int k = 0; k < 3; ++k) instruction();
      text_ += "SOON" + n + ":\n";
    }
    is_whole_ = before;
  }

  // Sums that are no numbers count, and then become numbers: of two of those, compiled additions keep either.
  void multiply_matrices() {
    line(of_matrices());
    for (int k = 0; k < kNumbers; ++k) {
      const auto f = "%f" + std::to_string(k);
      line("mov.b32 %t9, " + f);
      line("xor.b32 %r0, %r0, %t9");
      line("setp.nan.f32 %p7, " + f + ", " + f);
      line("@%p7 mov.f32 " + f + ", 0f3FC00000");
    }
  }

  // Of words that the lanes of the warp write. A GPU loads nothing into a warp of which some lanes are not there.
  void load_matrices() {
    line("and.b32 %t9, %t6, 0xFFFFFF80");
    line("mov.u32 %t10, %laneid");
    line("and.b32 %t10, %t10, " + std::to_string(pick(8)));
    line("mad.lo.s32 %t9, %t10, 16, %t9");
    line("add.s32 %t9, %t9, %t7");
    line("or.b32 %t10, %t4, 31");
    line("setp.lt.u32 %p7, %t10, %t3");
    const auto trans = std::string(pick(2) ? ".trans" : "") + ".shared.b16 {";
    if (pick(2)) return line("@%p7 ldmatrix.sync.aligned.m8n8.x2" + trans + two("r") + "}, [%t9]");
    line("@%p7 ldmatrix.sync.aligned.m8n8.x1" + trans + any("r") + "}, [%t9]");
  }

  // Of the whole warp, behind a barrier for all of it.
  void exchange() {
    line("bar.warp.sync -1");
    const auto how = one_of({"bfly", "idx", "up", "down"});
    switch (pick(12)) {
      case 11:
      case 10:
        return line("redux.sync." + one_of({"add.s32 ", "add.u32 ", "min.s32 ", "max.u32 ", "and.b32 ", "xor.b32 "}) +
                    two("r") + set());
      case 9:
        line("and.b32 %t9, " + any("r") + ", " + std::to_string(pick(8)));
        if (pick(2)) return line("match.any.sync.b32 " + any("r") + ", %t9" + set());
        return line("match.all.sync.b32 " + any("r") + "|" + any("p") + ", %t9" + set());
      case 8:
        if (pick(2)) return line("elect.sync " + any("r") + "|" + any("p") + set());
        return line("match.any.sync.b64 " + any("r") + ", " + any("l") + set());
      case 7:
      case 6:
      case 5:
      case 4:
        return pick(2) ? load_matrices() : multiply_matrices();
      case 0:
        return line("vote.sync." + one_of({"all", "any", "uni"}) + ".pred " + any("p") + ", " + (pick(2) ? "!" : "") +
                    any("p") + set());
      case 1:
        return line("vote.sync.ballot.b32 " + any("r") + ", " + any("p") + set());
      case 2:
        return line("shfl.sync." + how + ".b32 " + any("r") + "|" + any("p") + ", " + any("r") + ", " +
                    (pick(2) ? std::to_string(pick(32)) : any("r")) + ", " +
                    (pick(4) ? std::to_string(pick(2) ? 31 : pick(8192)) : any("r")) + set());
      default:
        return line("shfl.sync." + how + ".b32 " + any("r") + ", " + any("r") + ", " +
                    (pick(3) ? std::to_string(pick(32)) : any("r")) + ", " + (how == "up" ? "0" : "31") + set());
    }
  }

  // A sum of several words, and whatever the last carry is.
  void with_carry() {
    const std::string guard = pick(4) == 0 ? "@" + any("p") + " " : "";
    const auto wide = pick(3) == 0;
    const std::string type = wide ? one_of({".u64 ", ".s64 "}) : one_of({".u32 ", ".s32 "});
    const auto* const kind = wide ? "l" : "r";
    const auto product = [&](const std::string& name) {
      return name + one_of({".lo", ".hi"}) + (pick(2) ? ".cc" : "") + type + any(kind) + ", " + any(kind) + ", " +
             any(kind) + ", " + any(kind);
    };
    const auto sum = [&](const std::string& name) {
      return name + type + any(kind) + ", " + any(kind) + ", " + any(kind);
    };
    line(guard + (pick(3) ? sum(one_of({"add.cc", "sub.cc"}))
                          : "mad" + one_of({".lo", ".hi"}) + ".cc" + type + any(kind) + ", " + any(kind) + ", " +
                                any(kind) + ", " + any(kind)));
    const int more = pick(3);
    for (int k = 0; k < more; ++k) line(guard + (pick(3) ? sum(one_of({"addc.cc", "subc.cc"})) : product("madc")));
    line(guard + sum(one_of({"addc", "subc"})));
  }

  void instruction() {
    const std::string guard = pick(5) == 0 ? "@" + std::string(pick(2) ? "!" : "") + any("p") + " " : "";
    switch (pick(12)) {
      case 11:
        return line(guard + of_flushes());
      case 10:
        return with_carry();
      case 9:
        return line(guard + of_halves());
      case 8:
        return line(guard + of_parts());
      case 0:
      case 1:
        return line(guard + of_words());
      case 2:
        return line(guard + of_reals());
      case 3:
        return line(guard + of_long());
      case 4:
        return line(guard + comparison());
      case 5:
        return line(guard + conversion());
      case 6:
        return memory(guard);
      default:
        return line(guard + choice());
    }
  }

  int labels_ = 0;
  bool is_whole_ = true;
};

}  // namespace

std::string random_program(std::uint64_t seed) { return Writer(seed).write(); }

}  // namespace nvmlkit::test
