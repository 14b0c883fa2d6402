// Forms of arithmetic that came with Blackwell, and `.xorsign`, leave what older instructions leave, over special
// values. NVMLKIT_CUDA_ENGINE chooses the engine.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"
#include "ptx/parse/error_text.hpp"
#include "special_values.hpp"

namespace {

using namespace nvmlkit;

constexpr std::uint32_t kThreads = 64 * 64;

struct Case {
  std::string form, same;  // each writes %d0, from %d1 to %d3, whose halves are %f10 and %f11, and so on
};

std::string each(const std::string& instruction, bool of_three) {
  const auto line = [&](const std::string& part) {
    return instruction + " %f" + part + ", %f1" + part + ", %f2" + part + (of_three ? ", %f3" + part : "") + ";\n";
  };
  return line("0") + line("1") + "mov.b64 %d0, {%f0, %f1};\n";
}

// Of the lower halves, into the lower half.
std::string alone(const std::string& text) { return text + "\nmov.b64 %d0, {%f0, %f10};\n"; }

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (const std::string mode : {"rn", "rz", "rm", "rp", "rn.ftz", "rp.ftz"}) {
    for (const std::string op : {"add", "sub", "mul"})
      out.push_back({op + "." + mode + ".f32x2 %d0, %d1, %d2;", each(op + "." + mode + ".f32", false)});
    out.push_back({"fma." + mode + ".f32x2 %d0, %d1, %d2, %d3;", each("fma." + mode + ".f32", true)});
  }
  for (const std::string narrow : {"f16", "bf16"}) {
    const auto wide = "cvt.f32." + narrow + " %f4, %h10; cvt.f32." + narrow + " %f5, %h20; ";
    for (const std::string mode : {"rn", "rz", "rm", "rp", "rn.sat"}) {
      for (const std::string op : {"add", "sub"})
        out.push_back({alone(op + "." + mode + ".f32." + narrow + " %f0, %h10, %f20;"),
                       alone(wide + op + "." + mode + ".f32 %f0, %f4, %f20;")});
      out.push_back({alone("fma." + mode + ".f32." + narrow + " %f0, %h10, %h20, %f30;"),
                     alone(wide + "fma." + mode + ".f32 %f0, %f4, %f5, %f30;")});
    }
  }
  for (const std::string op : {"min", "max"})
    for (const std::string mode : {"", ".ftz", ".NaN", ".ftz.NaN"}) {
      const auto name = op + mode + ".f32";
      const auto two = name + " %f4, %f10, %f20; " + name + " %f0, %f4, %f30;";
      out.push_back({alone(name + " %f0, %f10, %f20, %f30;"), alone(two)});
      const std::string magnitudes = "abs.f32 %f6, %f10; abs.f32 %f7, %f20; abs.f32 %f8, %f30; ";
      out.push_back({alone(op + mode + ".abs.f32 %f0, %f10, %f20, %f30;"),
                     alone(magnitudes + name + " %f4, %f6, %f7; " + name + " %f0, %f4, %f8;")});
      // One of them no number: the sign cannot be seen.
      out.push_back(
          {alone(op + mode +
                 ".xorsign.abs.f32 %f0, %f10, %f20; setp.num.f32 %p, %f0, %f0; @!%p mov.f32 %f0, 0f00000000;"),
           alone(magnitudes + name +
                 " %f4, %f6, %f7; mov.b32 %r1, %f10; mov.b32 %r2, %f20; xor.b32 %r1, %r1, %r2; "
                 "and.b32 %r1, %r1, 0x80000000; mov.b32 %r2, %f4; xor.b32 %r2, %r2, %r1; mov.b32 %f0, %r2; "
                 "setp.num.f32 %p, %f4, %f4; @!%p mov.f32 %f0, 0f00000000;")});
    }
  return out;
}

std::string module_of(const Case& c) {
  std::string out =
      ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry kernel(.param .u64 in, .param .u64 out) {\n"
      ".reg .f32 %f<32>; .reg .b64 %d<4>; .reg .b64 %a<4>; .reg .b16 %h<32>; .reg .b32 %r<4>; .reg .pred %p;\n"
      "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r0, %r0, 64, %r1;\n"
      "ld.param.u64 %a0, [in]; mul.wide.u32 %a1, %r0, 24; add.s64 %a0, %a0, %a1;\n"
      "ld.param.u64 %a2, [out]; mul.wide.u32 %a1, %r0, 16; add.s64 %a2, %a2, %a1;\n";
  for (const std::string k : {"1", "2", "3"})
    out += "ld.global.b64 %d" + k + ", [%a0+" + std::to_string(8 * (k[0] - '1')) + "]; mov.b64 {%f" + k + "0, %f" + k +
           "1}, %d" + k + "; cvt.u16.u64 %h" + k + "0, %d" + k + ";\n";
  return out + c.form + "\nst.global.b64 [%a2], %d0;\n" + c.same + "\nst.global.b64 [%a2+8], %d0;\nret;\n}\n";
}

std::vector<std::byte> filled() {
  const auto& values = test::singles;
  std::vector<std::byte> bytes(std::size_t{kThreads} * 40);
  for (std::uint32_t i = 0; i < kThreads; ++i)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto index = k == 0 ? i : k == 1 ? i / 64 : i * 7 + i / 64 * 5;
      const std::uint64_t word = values[index % values.size()] | values[(index * 11 + 3) % values.size()] << 32;
      std::memcpy(bytes.data() + 24 * i + 8 * k, &word, sizeof word);
    }
  return bytes;
}

// The threads whose two results differ.
std::size_t wrong_of(const Case& c) {
  const auto module = ptx::load(module_of(c));
  auto bytes = filled();
  test::FlatMemory memory(bytes);
  const std::uint64_t arguments[] = {test::FlatMemory::kStart, test::FlatMemory::kStart + std::uint64_t{kThreads} * 24};
  ptx::Grid grid;
  grid.module = module.get();
  grid.entry = module->entry("kernel");
  grid.params = std::as_bytes(std::span(arguments));
  grid.memory = &memory;
  grid.blocks[0] = kThreads / 64;
  grid.threads[0] = 64;
  if (ptx::run_kernel(grid).fault.kind != ptx::FaultKind::none) return kThreads;
  std::size_t wrong = 0;
  const auto* const results = bytes.data() + std::size_t{kThreads} * 24;
  for (std::uint32_t i = 0; i < kThreads; ++i) wrong += std::memcmp(results + 16 * i, results + 16 * i + 8, 8) != 0;
  return wrong;
}

}  // namespace

int main() {
  std::size_t bad = 0;
  const auto cases = all_cases();
  for (const auto& c : cases) try {
      const auto wrong = wrong_of(c);
      if (wrong == 0) continue;
      ++bad;
      std::printf("%zu of %u differ: %s\n", wrong, kThreads, c.form.c_str());
    } catch (const ptx::Error& error) {
      ++bad;
      std::printf("%s: line %d: %s\n", c.form.c_str(), error.line, text_of(error).c_str());
    }
  std::printf("%zu forms, %zu wrong\n", cases.size(), bad);
  return bad == 0 ? 0 : 1;
}
