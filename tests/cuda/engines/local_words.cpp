// Local memory whose words lie side by side (src/ptx/local_words.hpp): each thread has its own bytes, whatever the size
// of an access, whether lanes have one address or not, and whether all of them act.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "block_kernel.hpp"

namespace {

using namespace nvmlkit::test;

constexpr std::size_t kBytes = 128;

struct Thread {
  std::uint32_t number, id;  // %r4 and %tid.x
  std::array<std::uint8_t, kBytes> mine{};

  template <class T>
  T load(std::size_t at) const {
    T out;
    std::memcpy(&out, mine.data() + at, sizeof out);
    return out;
  }
  template <class T>
  void store(std::size_t at, T value) {
    std::memcpy(mine.data() + at, &value, sizeof value);
  }
  std::uint64_t wide() const { return std::uint64_t{number} * 0x9E3779B97F4A7C15; }
  void mix(std::uint64_t value) { number = number * 31 + static_cast<std::uint32_t>(value ^ value >> 32); }
};

using Effect = std::function<void(Thread&)>;
struct Part {
  std::string text;
  Effect effect;
};

const char* const kMix =
    " shr.u64 %rd5, %rd4, 32; xor.b64 %rd4, %rd4, %rd5; cvt.u32.u64 %r9, %rd4; mad.lo.u32 %r4, %r4, 31, %r9;\n";

std::string at(const std::string& base, std::size_t offset) { return " [" + base + "+" + std::to_string(offset) + "]"; }

// A store, by all lanes or by those whose guard holds.
template <class T>
Part stored(const std::string& type, std::size_t offset, const std::string& base = "mine",
            const std::string& guard = "") {
  const auto value = sizeof(T) == 8 ? "%rd6" : "%r4";
  return {"cvt.u64.u32 %rd6, %r4; mul.lo.u64 %rd6, %rd6, 0x9E3779B97F4A7C15;\n" + guard + "st.local." + type +
              at(base, offset) + ", " + value + ";\n",
          [=](Thread& t) {
            if (guard.empty() || (t.number & 4) != 0)
              t.store<T>(offset, static_cast<T>(sizeof(T) == 8 ? t.wide() : t.number));
          }};
}

template <class T>
Part loaded(const std::string& type, std::size_t offset, const std::string& base = "mine") {
  if (sizeof(T) == 8)
    return {"ld.local." + type + " %rd4," + at(base, offset) + ";" + kMix,
            [=](Thread& t) { t.mix(t.load<std::uint64_t>(offset)); }};
  return {"ld.local." + type + " %r9," + at(base, offset) + "; cvt.u64.u32 %rd4, %r9;" + kMix,
          [=](Thread& t) { t.mix(static_cast<std::uint32_t>(t.load<T>(offset))); }};
}

// All bytes are looked at.
std::vector<Part> all_bytes() {
  std::vector<Part> out;
  for (std::size_t k = 0; k < kBytes; k += 8) out.push_back(loaded<std::uint64_t>("u64", k));
  return out;
}

void check_parts(const char* what, std::vector<Part> parts, const std::string& before = "") {
  std::string body =
      ".local .align 32 .b8 mine[" + std::to_string(kBytes) + "]; mov.u64 %rd7, mine; mov.u32 %r18, mine;\n" + before;
  for (std::size_t k = 0; k < kBytes; k += 8) body += "st.local.u64" + at("mine", k) + ", 0;\n";
  for (auto& part : all_bytes()) parts.push_back(std::move(part));
  for (const auto& part : parts) body += part.text;
  check(what, body, {1, 32, 50, 128}, [&](std::span<std::uint32_t> words) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      Thread thread{words[k], static_cast<std::uint32_t>(k)};
      for (const auto& part : parts) part.effect(thread);
      words[k] = thread.number;
    }
  });
}

std::vector<Part> each_size(const std::string& base = "mine", const std::string& guard = "") {
  std::vector<Part> out;
  for (std::size_t k = 0; k < 3; ++k) {
    out.push_back(stored<std::uint8_t>("u8", 9 * k + 3, base, guard));
    out.push_back(loaded<std::int8_t>("s8", 9 * k + 3, base));
    out.push_back(stored<std::uint16_t>("u16", 14 * k + 2, base, guard));
    out.push_back(loaded<std::int16_t>("s16", 14 * k + 2, base));
    out.push_back(loaded<std::uint8_t>("u8", 14 * k + 3, base));
    out.push_back(stored<std::uint32_t>("u32", 12 * k + 4, base, guard));
    out.push_back(loaded<std::uint16_t>("u16", 12 * k + 6, base));
    out.push_back(loaded<std::uint32_t>("u32", 12 * k + 4, base));
    out.push_back(stored<std::uint64_t>("u64", 8 * k + 16, base, guard));
    out.push_back(loaded<std::uint32_t>("u32", 8 * k + 20, base));
    out.push_back(loaded<std::uint64_t>("u64", 8 * k + 16, base));
  }
  return out;
}

Part with_guard_set() {
  return {"and.b32 %r8, %r4, 4; setp.ne.u32 %p1, %r8, 0;\n", [](Thread&) {}};
}

std::vector<Part> guarded() {
  std::vector<Part> out;
  for (auto& part : each_size("mine", "@%p1 ")) {
    out.push_back(with_guard_set());
    out.push_back(std::move(part));
  }
  return out;
}

// Vectors of 4 to 32 bytes.
std::vector<Part> vectors(const std::string& space, const std::string& base) {
  std::vector<Part> out;
  const auto add = [&](const std::string& text, Effect effect) { out.push_back({text, std::move(effect)}); };
  for (std::size_t k = 0; k < 2; ++k) {
    const auto k16 = 16 * k + 16;
    add("add.u32 %r9, %r4, 1; st" + space + ".v2.u16" + at(base, k16 + 4) + ", {%r4, %r9};\n", [=](Thread& t) {
      t.store(k16 + 4, static_cast<std::uint16_t>(t.number));
      t.store(k16 + 6, static_cast<std::uint16_t>(t.number + 1));
    });
    add("add.u32 %r9, %r4, 7; st" + space + ".v2.u32" + at(base, k16 + 8) + ", {%r9, %r4};\n", [=](Thread& t) {
      t.store(k16 + 8, t.number + 7);
      t.store(k16 + 12, t.number);
    });
    add("ld" + space + ".v4.u32 {%r9, _, %r10, %r11}," + at(base, k16) +
            "; xor.b32 %r9, %r9, %r10; add.u32 %r9, %r9, %r11; cvt.u64.u32 %rd4, %r9;" + kMix,
        [=](Thread& t) {
          t.mix((t.load<std::uint32_t>(k16) ^ t.load<std::uint32_t>(k16 + 8)) + t.load<std::uint32_t>(k16 + 12));
        });
    add("add.u32 %r9, %r4, 9; mul.lo.u32 %r10, %r4, 5; st" + space + ".v4.u32" + at(base, 80) +
            ", {%r4, %r9, %r10, %r2};\n",
        [=](Thread& t) {
          const std::uint32_t values[] = {t.number, t.number + 9, t.number * 5, t.id};
          for (std::size_t n = 0; n < 4; ++n) t.store(80 + 4 * n, values[n]);
        });
    add("ld" + space + ".v2.u64 {%rd4, %rd6}," + at(base, 80) + "; add.u64 %rd4, %rd4, %rd6;" + kMix,
        [=](Thread& t) { t.mix(t.load<std::uint64_t>(80) + t.load<std::uint64_t>(88)); });
    add("cvt.u64.u32 %rd4, %r4; not.b64 %rd6, %rd4; st" + space + ".v4.u64" + at(base, 96) +
            ", {%rd4, %rd6, %rd4, %rd6}; ld" + space + ".v4.u64 {_, %rd6, %rd5, %rd4}," + at(base, 96) +
            "; add.u64 %rd4, %rd4, %rd5; add.u64 %rd4, %rd4, %rd6;" + kMix,
        [=](Thread& t) {
          for (std::size_t n = 0; n < 4; ++n) t.store(96 + 8 * n, n % 2 ? ~std::uint64_t{t.number} : t.number);
          t.mix(2 * ~std::uint64_t{t.number} + t.number);
        });
  }
  return out;
}

// Lanes with addresses of their own: a multiple of the number of the thread, and what no compiler knows.
std::vector<Part> own_addresses(const std::string& index, std::function<std::uint32_t(const Thread&)> index_of) {
  std::vector<Part> out;
  const auto add = [&](unsigned size, const std::string& store, const std::string& load,
                       std::function<void(Thread&, std::size_t)> effect) {
    const auto mask = std::to_string((kBytes - 1) & ~std::size_t{size - 1});
    out.push_back({index + " and.b32 %r10, %r10, " + mask + "; add.u32 %r11, %r18, %r10;\n" + store + load + kMix,
                   [=](Thread& t) { effect(t, index_of(t) & (kBytes - 1) & ~(size - 1)); }});
  };
  for (unsigned k = 0; k < 2; ++k) {
    add(1, "st.local.u8 [%r11], %r4;", "ld.local.u8 %r9, [%r11]; cvt.u64.u32 %rd4, %r9;",
        [](Thread& t, std::size_t at) {
          t.store(at, static_cast<std::uint8_t>(t.number));
          t.mix(t.load<std::uint8_t>(at));
        });
    add(4, "st.local.u32 [%r11], %r4;", "ld.local.u16 %r9, [%r11+2]; cvt.u64.u32 %rd4, %r9;",
        [](Thread& t, std::size_t at) {
          t.store(at, t.number);
          t.mix(t.load<std::uint16_t>(at + 2));
        });
    add(8, "st.local.v2.u32 [%r11], {%r2, %r4};", "ld.local.u64 %rd4, [%r11];", [](Thread& t, std::size_t at) {
      t.store(at, t.id);
      t.store(at + 4, t.number);
      t.mix(t.load<std::uint64_t>(at));
    });
    add(16, "st.local.v4.u32 [%r11], {%r2, %r4, %r2, %r10};",
        "ld.local.v2.u64 {%rd4, %rd6}, [%r11]; add.u64 %rd4, %rd4, %rd6;", [](Thread& t, std::size_t at) {
          const std::uint32_t values[] = {t.id, t.number, t.id, static_cast<std::uint32_t>(at)};
          for (std::size_t n = 0; n < 4; ++n) t.store(at + 4 * n, values[n]);
          t.mix(t.load<std::uint64_t>(at) + t.load<std::uint64_t>(at + 8));
        });
  }
  return out;
}

// Behind a branch, and by addresses that only the thread knows to be local.
void check_some_lanes() {
  check(
      "some lanes",
      ".local .align 8 .b8 mine[64]; mov.u64 %rd7, mine; cvta.local.u64 %rd6, %rd7; mov.u32 %r9, 0;\n"
      "FILL: shl.b32 %r10, %r9, 2; cvt.u64.u32 %rd5, %r10; add.u64 %rd5, %rd6, %rd5; add.u32 %r11, %r9, %r2; "
      "st.u32 [%rd5], %r11; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 16; @%p1 bra FILL;\n"
      "and.b32 %r10, %r2, 3; setp.eq.u32 %p2, %r10, 1; @%p2 bra ONE; setp.eq.u32 %p2, %r10, 2; @%p2 bra TWO; bra END;\n"
      "ONE: ld.local.u32 %r12, [mine+20]; st.local.u8 [mine+21], %r2; add.u32 %r4, %r4, %r12; bra END;\n"
      "TWO: st.volatile.u32 [%rd6+24], %r4; ld.local.u64 %rd5, [mine+24]; shr.u64 %rd5, %rd5, 16; cvt.u32.u64 %r12, "
      "%rd5; "
      "xor.b32 %r4, %r4, %r12; bra END;\n"
      "END: ld.local.u32 %r12, [mine+20]; mad.lo.u32 %r4, %r4, 3, %r12; ld.v2.u32 {%r12, %r13}, [%rd6+24]; "
      "add.u32 %r4, %r4, %r12; add.u32 %r4, %r4, %r13;",
      {1, 32, 50, 128}, [](std::span<std::uint32_t> words) {
        for (std::size_t k = 0; k < words.size(); ++k) {
          const auto id = static_cast<std::uint32_t>(k);
          auto number = words[k], fifth = 5 + id, sixth = 6 + id;
          if (id % 4 == 1) {
            number += fifth;
            fifth = (fifth & 0xFFFF00FF) | (id & 0xFF) << 8;
          } else if (id % 4 == 2) {
            sixth = number;
            number ^= sixth >> 16 | (7 + id) << 16;
          }
          words[k] = number * 3 + fifth + sixth + 7 + id;
        }
      });
}

}  // namespace

int main() {
  check_parts("each size", each_size());
  check_parts("at an address in a register", each_size("%r18"));
  check_parts("with a guard", guarded());
  check_parts("vectors", vectors(".local", "mine"));
  check_parts("vectors by generic addresses", vectors("", "%rd7"), "cvta.local.u64 %rd7, %rd7;\n");
  check_parts("a multiple of the number of the thread",
              own_addresses("mul.lo.u32 %r10, %r2, 4;", [](const Thread& t) { return t.id * 4; }));
  check_parts("any address", own_addresses("mul.lo.u32 %r10, %r4, 0x9E3779B1; shr.u32 %r10, %r10, 20;",
                                           [](const Thread& t) { return t.number * 0x9E3779B1 >> 20; }));
  check_some_lanes();
  std::printf("%u wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
