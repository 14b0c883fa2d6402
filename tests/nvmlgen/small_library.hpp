// A shared library with a table of symbols and nothing else, byte by byte.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace nvmlgen::testing_support {

template <class T>
void put(std::string& bytes, std::size_t offset, const T& value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Header, names, symbols and three sections, in this order.
inline std::string small_library(const std::vector<std::string>& defined, const std::vector<std::string>& needed = {}) {
  std::string names(1, '\0'), bytes;
  std::vector<Elf64_Sym> symbols(1);
  auto add = [&](const std::string& name, bool here) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = here ? 1 : SHN_UNDEF;
    names += name + '\0';
    symbols.push_back(symbol);
  };
  for (const std::string& name : defined) add(name, true);
  for (const std::string& name : needed) add(name, false);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  Elf64_Shdr symbol_section{}, name_section{};
  name_section.sh_type = SHT_STRTAB;
  name_section.sh_offset = sizeof header;
  name_section.sh_size = names.size();
  symbol_section.sh_type = SHT_DYNSYM;
  symbol_section.sh_link = 2;
  symbol_section.sh_offset = sizeof header + names.size();
  symbol_section.sh_size = symbols.size() * sizeof(Elf64_Sym);
  header.e_shoff = symbol_section.sh_offset + symbol_section.sh_size;

  put(bytes, 0, header);
  bytes += names;
  for (const Elf64_Sym& symbol : symbols) put(bytes, bytes.size(), symbol);
  put(bytes, bytes.size(), Elf64_Shdr{});
  put(bytes, bytes.size(), symbol_section);
  put(bytes, bytes.size(), name_section);
  return bytes;
}

}  // namespace nvmlgen::testing_support
