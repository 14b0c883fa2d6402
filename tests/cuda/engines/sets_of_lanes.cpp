// Votes and matches of the lanes that a register names, and the lanes that act: the same in compiled code and in the
// interpreter.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "block_kernel.hpp"

namespace {

using namespace nvmlkit;
using namespace nvmlkit::test;

using Words = std::span<std::uint32_t>;
using Lanes = std::uint32_t;

constexpr unsigned kTurns = 12;

Lanes lanes_with(Words warp, const std::function<bool(unsigned lane)>& is_one) {
  Lanes out = 0;
  for (unsigned lane = 0; lane < warp.size(); ++lane) out |= Lanes{is_one(lane)} << lane;
  return out;
}

void for_each_warp(Words words, const std::function<void(Words warp)>& each) {
  for (std::size_t first = 0; first < words.size(); first += kWarp)
    each(words.subspan(first, std::min<std::size_t>(kWarp, words.size() - first)));
}

// Each lane's numbers grow by what its set answers.
void vote(Words warp, const std::function<Lanes(unsigned turn, unsigned lane)>& set) {
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    const std::vector<std::uint32_t> before(warp.begin(), warp.end());
    const auto number = [&](unsigned lane) { return before[lane] >> turn & 1; };
    for (unsigned lane = 0; lane < warp.size(); ++lane) {
      const auto there = lanes_with(warp, [&](unsigned k) { return set(turn, k) == set(turn, lane); });
      const auto yes = there & lanes_with(warp, [&](unsigned k) { return number(k) != 0; });
      const auto alike = there & lanes_with(warp, [&](unsigned k) { return number(k) == number(lane); });
      warp[lane] += yes + (yes != 0 ? 5 : 0) + (yes == there ? 7 : 0) + (yes == 0 || yes == there ? 11 : 0) +
                    13 * alike + 17 * (yes == 0 || yes == there ? there : 0);
    }
  }
}

// `sets` gives %r20 in each turn, from the turn %r10 and the lane %r11.
void check_votes(const char* what, const std::string& sets,
                 const std::function<Lanes(unsigned turn, unsigned lane)>& set) {
  const auto body =
      "mov.u32 %r10, 0; and.b32 %r11, %r2, 31;\nAGAIN: " + sets +
      "\nshr.u32 %r12, %r4, %r10; and.b32 %r12, %r12, 1; setp.ne.u32 %p1, %r12, 0;\n"
      "vote.sync.ballot.b32 %r13, %p1, %r20; vote.sync.any.pred %p2, %p1, %r20; vote.sync.all.pred %p3, %p1, %r20; "
      "vote.sync.uni.pred %p4, !%p1, %r20; match.any.sync.b32 %r14, %r12, %r20; "
      "match.all.sync.b32 %r15|%p5, %r12, %r20;\n"
      "selp.u32 %r16, 5, 0, %p2; selp.u32 %r17, 7, 0, %p3; selp.u32 %r18, 11, 0, %p4; selp.u32 %r15, %r15, 0, %p5;\n"
      "mad.lo.u32 %r13, %r14, 13, %r13; mad.lo.u32 %r13, %r15, 17, %r13; add.u32 %r16, %r16, %r17; "
      "add.u32 %r16, %r16, %r18; add.u32 %r13, %r13, %r16; add.u32 %r4, %r4, %r13;\n"
      "add.u32 %r10, %r10, 1; setp.lt.u32 %p6, %r10, " +
      std::to_string(kTurns) + "; @%p6 bra AGAIN;";
  check(what, body, {1, 16, 32, 64, 100, 128},
        [&](Words words) { for_each_warp(words, [&](Words warp) { vote(warp, set); }); });
}

void check_sets() {
  const std::string halves = "and.b32 %r21, %r11, 16; shl.b32 %r21, 65535, %r21; ";
  const auto half = [](unsigned lane) { return lane < 16 ? 0xFFFFu : 0xFFFF0000u; };
  check_votes("all lanes", "mov.u32 %r20, -1;", [](unsigned, unsigned) { return ~Lanes{0}; });
  check_votes("all lanes, by the turn", "shr.u32 %r20, %r10, 9; not.b32 %r20, %r20;",
              [](unsigned, unsigned) { return ~Lanes{0}; });
  check_votes("halves", halves + "mov.u32 %r20, %r21;", [&](unsigned, unsigned lane) { return half(lane); });
  check_votes("halves and all lanes in turns",
              halves + "and.b32 %r22, %r10, 1; setp.eq.u32 %p7, %r22, 0; selp.b32 %r20, -1, %r21, %p7;",
              [&](unsigned turn, unsigned lane) { return turn % 2 == 0 ? ~Lanes{0} : half(lane); });
  check_votes("lanes by themselves", "shl.b32 %r20, 1, %r11;",
              [](unsigned, unsigned lane) { return Lanes{1} << lane; });
  check_votes("every fourth lane", "and.b32 %r21, %r11, 3; shl.b32 %r20, 0x11111111, %r21;",
              [](unsigned, unsigned lane) { return 0x11111111u << lane % 4; });
}

// The lanes that act: all, those on one side of a branch, those that a loop still has.
void check_acting() {
  check("all lanes act", "activemask.b32 %r8; add.u32 %r4, %r4, %r8;", {32, 64, 100}, [](Words words) {
    for_each_warp(words, [](Words warp) {
      const auto all = lanes_with(warp, [](unsigned) { return true; });
      for (auto& word : warp) word += all;
    });
  });
  check("the lanes of a side act",
        "and.b32 %r8, %r2, 3; setp.ne.u32 %p1, %r8, 0; mov.u32 %r9, 0; @%p1 bra OTHERS; activemask.b32 %r9; "
        "add.u32 %r4, %r4, 1; bra JOIN;\nOTHERS: activemask.b32 %r9; mul.lo.u32 %r4, %r4, 3;\n"
        "JOIN: add.u32 %r4, %r4, %r9;",
        {32, 64, 100}, [](Words words) {
          for_each_warp(words, [](Words warp) {
            const auto first = lanes_with(warp, [](unsigned lane) { return lane % 4 == 0; });
            const auto others = lanes_with(warp, [](unsigned lane) { return lane % 4 != 0; });
            for (unsigned lane = 0; lane < warp.size(); ++lane)
              warp[lane] = lane % 4 == 0 ? warp[lane] + 1 + first : warp[lane] * 3 + others;
          });
        });
  check("the lanes of a loop act",
        "and.b32 %r8, %r2, 7;\nAGAIN: activemask.b32 %r9; mad.lo.u32 %r4, %r4, 3, %r9; setp.eq.u32 %p1, %r8, 0; "
        "sub.u32 %r8, %r8, 1; @!%p1 bra AGAIN;",
        {32, 64, 100}, [](Words words) {
          for_each_warp(words, [](Words warp) {
            for (unsigned turn = 0; turn < 8; ++turn) {
              const auto left = lanes_with(warp, [=](unsigned lane) { return lane % 8 >= turn; });
              for (unsigned lane = 0; lane < warp.size(); ++lane)
                if (left >> lane & 1) warp[lane] = warp[lane] * 3 + left;
            }
          });
        });
}

}  // namespace

int main() {
  check_sets();
  check_acting();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
