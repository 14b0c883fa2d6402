#include "root/elf.hpp"

#include <elf.h>

#include <cstring>
#include <optional>

namespace nvmlkit::root {
namespace {

class ElfFile {
 public:
  explicit ElfFile(const std::string& bytes) : bytes_(bytes) {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
      return;
    machine_ = header->e_machine;
    for (std::size_t i = 0; i < header->e_phnum; ++i)
      if (const auto segment = read<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr)))
        segments_.push_back(*segment);
  }

  ElfNeeds needs() const {
    ElfNeeds out{.machine = machine_, .interpreter = {}, .libraries = {}};
    for (const auto& segment : segments_) {
      if (segment.p_type == PT_INTERP) out.interpreter = text_at(segment.p_offset);
      if (segment.p_type == PT_DYNAMIC) read_dynamic(segment, out.libraries);
    }
    return out;
  }

 private:
  template <class T>
  std::optional<T> read(std::uint64_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return std::nullopt;
    T out;
    std::memcpy(&out, bytes_.data() + at, sizeof out);
    return out;
  }

  std::string text_at(std::uint64_t at) const { return at < bytes_.size() ? std::string(bytes_.c_str() + at) : ""; }

  // The place in the file of what is mapped there.
  std::uint64_t place_of(std::uint64_t address) const {
    for (const auto& segment : segments_)
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    return bytes_.size();
  }

  void read_dynamic(const Elf64_Phdr& segment, std::vector<std::string>& libraries) const {
    std::vector<std::uint64_t> names;
    std::uint64_t strings = bytes_.size();
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = read<Elf64_Dyn>(segment.p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB) strings = place_of(entry->d_un.d_ptr);
    }
    for (const auto name : names)
      if (auto text = text_at(strings + name); !text.empty()) libraries.push_back(std::move(text));
  }

  const std::string& bytes_;
  std::uint16_t machine_ = 0;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace

ElfNeeds elf_needs(const std::string& file) { return ElfFile(file).needs(); }

}  // namespace nvmlkit::root
