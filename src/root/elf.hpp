// What an ELF file of 64 bits asks the system for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvmlkit::root {

struct ElfNeeds {
  std::uint16_t machine = 0;  // EM_*; 0: no ELF file
  std::string interpreter;    // the dynamic loader; empty for libraries
  std::vector<std::string> libraries;
};

// `file` is its bytes. Of a damaged file, what can be read.
ElfNeeds elf_needs(const std::string& file);

}  // namespace nvmlkit::root
