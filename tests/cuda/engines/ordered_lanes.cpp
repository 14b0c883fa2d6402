// Lanes with numbers in a row: comparisons at the ends of the types and conditions made of several, and %tid in blocks
// of many shapes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"

namespace {

using namespace nvmlkit;
using nvmlkit::test::FlatMemory;
using nvmlkit::test::grid_of;

unsigned wrong = 0, count = 0;

void expect(bool is_right, const std::string& what) {
  ++count;
  if (is_right) return;
  ++wrong;
  std::printf("%s: wrong\n", what.c_str());
}

// Memory: the result of each thread, then the first number and the limit.
constexpr unsigned kThreads = 96;
constexpr std::size_t kOfResults = kThreads * sizeof(std::uint32_t);

template <class T>
struct Compared {
  const char* type;
  unsigned bits;
  std::vector<T> starts, limits;
};

// Which way a branch goes: by one comparison, or by two with others between them.
struct Condition {
  const char *name, *code;  // of %p3, from %p1: number < limit, %p2: number > limit + 5
  std::function<bool(bool, bool)> holds;
};

const std::vector<Condition> kConditions{
    {"one", "mov.pred %p3, %p1;", [](bool p, bool) { return p; }},
    {"not", "not.pred %p3, %p1;", [](bool p, bool) { return !p; }},
    {"or", "or.pred %p3, %p1, %p2;", [](bool p, bool q) { return p || q; }},
    {"and not", "not.pred %p4, %p2; not.pred %p5, %p1; and.pred %p3, %p4, %p5;",
     [](bool p, bool q) { return !p && !q; }},
    {"xor of all", "setp.lt.u32 %p4, %r2, 1000; xor.pred %p3, %p1, %p4;", [](bool p, bool) { return !p; }},
};

template <class T>
std::string body_of(const Compared<T>& compared, const Condition& condition, unsigned step) {
  const std::string bits = std::to_string(compared.bits), type = compared.type, r = compared.bits == 64 ? "%rd" : "%r";
  const std::string widen = compared.bits == 64 ? "cvt.u64.u32 %rd6, %r2;" : "mov.u32 %r6, %r2;";
  return "ld.global.u" + bits + " " + r + "4, [%rd1+" + std::to_string(kOfResults) + "]; ld.global.u" + bits + " " + r +
         "5, [%rd1+" + std::to_string(kOfResults + 8) + "];\n" + widen + " mul.lo.s" + bits + " " + r + "6, " + r +
         "6, " + std::to_string(step) + "; add.s" + bits + " " + r + "4, " + r + "4, " + r + "6; add.s" + bits + " " +
         r + "7, " + r + "5, 5;\nsetp.lt." + type + " %p1, " + r + "4, " + r + "5; setp.lt." + type + " %p2, " + r +
         "7, " + r + "4; " + condition.code + "\n";
}

template <class T>
void check_comparisons(const Compared<T>& compared) {
  for (const auto& condition : kConditions)
    for (const unsigned step : {1U, 3U}) {
      const auto module = ptx::load(
          ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
          ".reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<8>;\n"
          "ld.param.u64 %rd1, [data]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n" +
          body_of(compared, condition, step) +
          "mov.u32 %r10, 7; @%p3 bra OVER; mov.u32 %r10, 9; OVER: st.global.u32 [%rd3], %r10; ret;\n}\n");
      for (const T start : compared.starts)
        for (const T limit : compared.limits) {
          std::vector<std::byte> bytes(kOfResults + 16);
          std::memcpy(&bytes[kOfResults], &start, sizeof start);
          std::memcpy(&bytes[kOfResults + 8], &limit, sizeof limit);
          FlatMemory memory{bytes};
          bool is_right = ptx::run_kernel(grid_of(*module, memory, 1, kThreads)).fault.kind == ptx::FaultKind::none;
          for (unsigned k = 0; k < kThreads; ++k) {
            using Bits = std::make_unsigned_t<T>;
            const auto number = static_cast<T>(static_cast<Bits>(start) + k * step);
            const auto higher = static_cast<T>(static_cast<Bits>(limit) + 5);
            std::uint32_t found = 0;
            std::memcpy(&found, &bytes[k * sizeof found], sizeof found);
            is_right &= found == (condition.holds(number < limit, higher < number) ? 7 : 9);
          }
          expect(is_right, std::string(condition.name) + " of " + compared.type + ", by " + std::to_string(step) +
                               " from " + std::to_string(start) + ", limit " + std::to_string(limit));
        }
    }
}

template <class T>
std::vector<T> around(std::initializer_list<T> places) {
  std::vector<T> out;
  for (const T place : places)
    for (const int more : {-40, -5, 0, 17})
      out.push_back(
          static_cast<T>(static_cast<std::make_unsigned_t<T>>(place) + static_cast<std::make_unsigned_t<T>>(more)));
  return out;
}

// A thread writes where it stands in its block, in one dimension: the code looks at no other.
void check_threads(std::array<unsigned, 3> size, unsigned dimension) {
  const std::string name{"xyz"[dimension]};
  const auto module = ptx::load(
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 data) {\n"
      ".reg .b32 %r<12>; .reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [data]; mov.u32 %r1, %warpid; mov.u32 %r2, %laneid; mad.lo.s32 %r3, %r1, 32, %r2; "
      "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r4, %tid." +
      name + "; st.global.u32 [%rd3], %r4; ret;\n}\n");
  const auto all = size[0] * size[1] * size[2];
  std::vector<std::byte> bytes(all * sizeof(std::uint32_t));
  FlatMemory memory{bytes};
  auto grid = grid_of(*module, memory, 1, size[0]);
  grid.threads[1] = size[1], grid.threads[2] = size[2];
  bool is_right = ptx::run_kernel(grid).fault.kind == ptx::FaultKind::none;
  for (unsigned k = 0; k < all; ++k) {
    const std::array<unsigned, 3> wanted{k % size[0], k / size[0] % size[1], k / size[0] / size[1]};
    std::uint32_t found = 0;
    std::memcpy(&found, &bytes[k * sizeof found], sizeof found);
    is_right &= found == wanted.at(dimension);
  }
  expect(is_right, "%tid." + name + " in a block of " + std::to_string(size[0]) + " by " + std::to_string(size[1]) +
                       " by " + std::to_string(size[2]));
}

}  // namespace

int main() {
  check_comparisons<std::int32_t>({"s32", 32, around({0, INT32_MAX, INT32_MIN}), around({0, INT32_MAX, INT32_MIN})});
  check_comparisons<std::uint32_t>({"u32", 32, around({0U, 1U << 31}), around({0U, 1U << 31})});
  check_comparisons<std::int64_t>({"s64", 64, around({INT64_C(0), INT64_MAX}), around({INT64_C(0), INT64_MAX})});
  check_comparisons<std::uint64_t>({"u64", 64, around({UINT64_C(0)}), around({UINT64_C(0), UINT64_MAX / 2})});
  for (const auto& size : std::vector<std::array<unsigned, 3>>{{256, 1, 1},
                                                               {32, 4, 2},
                                                               {16, 16, 1},
                                                               {8, 4, 8},
                                                               {100, 2, 1},
                                                               {33, 3, 1},
                                                               {1, 64, 1},
                                                               {2, 3, 7},
                                                               {64, 2, 2},
                                                               {1, 1, 64},
                                                               {4, 8, 32},
                                                               {16, 3, 2},
                                                               {48, 2, 1},
                                                               {1024, 1, 1},
                                                               {1, 1024, 1}})
    for (unsigned dimension = 0; dimension < 3; ++dimension) check_threads(size, dimension);
  std::printf("%u of %u wrong\n", wrong, count);
  return wrong == 0 ? 0 : 1;
}
