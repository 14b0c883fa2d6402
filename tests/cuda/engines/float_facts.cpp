// Executes instructions over special values and compares what they leave with float_facts.txt:
//   float_facts FILE [STEP]
// Each line of the file is a form, the number of results, and their digest, as an H100 left them (driver 580, PTX 8.6).
// STEP: only each so many'th form. The environment variable NVMLKIT_CUDA_ENGINE chooses the engine.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "flat_memory.hpp"
#include "ptx/launch.hpp"
#include "special_values.hpp"

namespace {

using namespace nvmlkit;

constexpr std::uint64_t kStart = test::FlatMemory::kStart;
constexpr std::size_t kOperands = std::size_t{1} << 18, kResults = std::size_t{1} << 17;

struct Form {
  unsigned width = 0;  // bits of a result
  std::string operands, text;
  std::size_t count = 0;
  std::uint64_t digest = 0;
};

Form form_of(const std::string& line) {
  Form out;
  const auto first = line.find('|'), second = line.find('|', first + 1), third = line.rfind('|');
  out.width = static_cast<unsigned>(std::atoi(line.c_str()));
  out.operands = line.substr(first + 1, second - first - 1);
  out.text = line.substr(second + 1, third - second - 2);
  char* end = nullptr;
  out.count = std::strtoull(line.c_str() + third + 1, &end, 10);
  out.digest = std::strtoull(end, nullptr, 16);
  return out;
}

unsigned bits_of(char operand) {
  if (std::strchr("hbsq", operand)) return 16;
  return std::strchr("fiHB", operand) ? 32 : 64;
}

std::string register_of(unsigned bits, std::size_t number) {
  return (bits == 16 ? "%h" : bits == 32 ? "%r" : "%d") + std::to_string(number);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// A thread for each set of operands. `@global` and `@shared` in front: operand 0 lies in that memory and is changed.
std::string module_of(const Form& form) {
  std::string out =
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 in, .param .u64 out, "
      ".param .u32 n) {\n.reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b32 %t<9>; .reg .b64 %a<9>; "
      ".reg .pred %p, %q;\n.shared .align 8 .b8 own[2048];\nmov.u32 %t0, %ctaid.x; mov.u32 %t1, %tid.x; "
      "mad.lo.s32 %t2, %t0, 256, %t1; ld.param.u32 %t3, [n]; setp.ge.u32 %q, %t2, %t3; @%q ret;\n"
      "ld.param.u64 %a0, [in]; mul.wide.u32 %a1, %t2, 24; add.s64 %a0, %a0, %a1; ld.param.u64 %a2, [out]; "
      "mul.wide.u32 %a1, %t2, 8; add.s64 %a2, %a2, %a1;\n";
  auto text = form.text;
  const auto memory = text[0] == '@' ? text.substr(1, text.find(' ') - 1) : std::string();
  if (!memory.empty()) text.erase(0, text.find(' ') + 1);
  for (std::size_t k = 0; k < form.operands.size(); ++k) {
    const auto bits = bits_of(form.operands[k]);
    out +=
        "ld.global.b" + std::to_string(bits) + " " + register_of(bits, k) + ", [%a0+" + std::to_string(8 * k) + "];\n";
    text = replaced(text, "$" + std::to_string(k), register_of(bits, k));
  }
  const auto type = ".b" + std::to_string(form.width);
  const auto result = register_of(form.width, 5);
  if (memory.empty())
    return out + replaced(text, "$d", result) + "\nst.global" + type + " [%a2], " + result + ";\nret;\n}\n";
  const std::string at = memory == "shared" ? "[%t6]" : "[%a2]";
  if (memory == "shared") out += "mov.u32 %t6, own; shl.b32 %t7, %t1, 3; add.s32 %t6, %t6, %t7;\n";
  out += "st." + memory + type + " " + at + ", " + register_of(form.width, 0) + ";\n";
  out +=
      replaced(replaced(text, "[$m]", at), "$o", result) + "\nld." + memory + type + " " + result + ", " + at + ";\n";
  return out + "st.global" + type + " [%a2], " + result + ";\nret;\n}\n";
}

void fill(std::byte* at, const Form& form) {
  const auto values = test::special_values(form.operands.size() > 2);
  for (std::size_t i = 0; i < form.count; ++i) {
    auto rest = i;
    for (std::size_t k = 0; k < form.operands.size(); ++k) {
      const auto& own = values.at(form.operands[k]);
      std::memcpy(at + 24 * i + 8 * k, &own[rest % own.size()], 8);
      rest /= own.size();
    }
  }
}

std::uint64_t digest_of(const std::byte* at, std::size_t count) {
  std::uint64_t out = 14695981039346656037u;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + 8 * i, sizeof word);
    out = (out ^ word) * 1099511628211u;
    out ^= out >> 29;
  }
  return out;
}

bool is_right(const Form& form) {
  const auto module = ptx::load(module_of(form));
  std::vector<std::byte> bytes(kOperands + kResults);
  fill(bytes.data(), form);
  test::FlatMemory memory(bytes);
  struct {
    std::uint64_t in = kStart, out = kStart + kOperands;
    std::uint32_t count = 0;
  } arguments;
  arguments.count = static_cast<std::uint32_t>(form.count);
  ptx::Grid grid;
  grid.module = module.get();
  grid.entry = module->entry("kernel");
  grid.params = std::as_bytes(std::span(&arguments, 1));
  grid.memory = &memory;
  grid.threads_of_host = 1;
  grid.blocks[0] = static_cast<std::uint32_t>((form.count + 255) / 256);
  grid.threads[0] = 256;
  if (ptx::run_kernel(grid).fault.kind != ptx::FaultKind::none) return false;
  return digest_of(bytes.data() + kOperands, form.count) == form.digest;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  const auto step = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::size_t number = 0, tested = 0, wrong = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || number++ % step != 0) continue;
    const auto form = form_of(line);
    ++tested;
    if (is_right(form)) continue;
    ++wrong;
    std::printf("other than on a GPU: %s\n", form.text.c_str());
  }
  std::printf("%zu forms, %zu differ\n", tested, wrong);
  return tested > 0 && wrong == 0 ? 0 : 1;
}
