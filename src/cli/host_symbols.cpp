#include "cli/host_symbols.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace nvmlkit::cli {
namespace {

// A struct of a file, or zeros behind its end.
template <class T>
T at(const std::string& bytes, std::uint64_t offset) {
  T out{};
  if (offset <= bytes.size() && sizeof out <= bytes.size() - offset)
    std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

std::uint64_t first_address(const std::string& bytes, const Elf64_Ehdr& head) {
  for (unsigned k = 0; k < head.e_phnum; ++k)
    if (const auto segment = at<Elf64_Phdr>(bytes, head.e_phoff + k * sizeof(Elf64_Phdr)); segment.p_type == PT_LOAD)
      return segment.p_vaddr - segment.p_offset;
  return 0;
}

}  // namespace

HostSymbols::File HostSymbols::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  File out;
  if (!bytes.starts_with("\177ELF\2")) return out;
  const auto head = at<Elf64_Ehdr>(bytes, 0);
  out.first = first_address(bytes, head);
  for (unsigned k = 0; k < head.e_shnum; ++k) {
    const auto section = at<Elf64_Shdr>(bytes, head.e_shoff + k * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_SYMTAB || section.sh_size > bytes.size()) continue;
    const auto names = at<Elf64_Shdr>(bytes, head.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    for (std::uint64_t n = 0; n < section.sh_size / sizeof(Elf64_Sym); ++n) {
      const auto symbol = at<Elf64_Sym>(bytes, section.sh_offset + n * sizeof(Elf64_Sym));
      const auto name = names.sh_offset + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || name >= bytes.size()) continue;
      out.symbols.push_back({symbol.st_value - out.first, symbol.st_size, bytes.c_str() + name});
    }
  }
  std::ranges::sort(out.symbols, {}, &Symbol::start);
  return out;
}

void HostSymbols::name(const File& file, sanitize::HostFrame& frame) {
  if (!frame.function.empty()) return;
  const auto next = std::ranges::upper_bound(file.symbols, frame.offset - 1, {}, &Symbol::start);
  if (next == file.symbols.begin()) return;
  const auto& symbol = *std::prev(next);
  if (frame.offset - 1 - symbol.start < symbol.size) frame.function = symbol.name;
}

void HostSymbols::name(std::vector<sanitize::HostFrame>& frames) {
  for (auto& frame : frames) {
    const auto [known, is_new] = files_.try_emplace(frame.module);
    if (is_new) known->second = read(frame.module);
    name(known->second, frame);
    lines_.find(frame.offset - 1 + known->second.first, frame);
  }
}

void HostSymbols::name(sanitize::Finding& finding) {
  name(finding.host);
  name(finding.nearest.allocated);
  name(finding.nearest.freed);
  for (auto& side : finding.sides) name(side.host);
}

}  // namespace nvmlkit::cli
