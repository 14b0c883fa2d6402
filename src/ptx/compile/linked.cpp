#include "ptx/compile/linked.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "ptx/compile/relocation.hpp"

namespace nvmlkit::ptx {
namespace {

constexpr std::size_t kLine = 64;  // of the cache, where each object begins

std::size_t in_lines(std::size_t size) { return (size + kLine - 1) / kLine * kLine; }

// An object of one function for this processor. Its constants lie in sections of their own, at distances that are known
// when all sections have a place. Everything is checked against the size of the file.
class Object {
 public:
  explicit Object(std::string_view bytes) : bytes_(bytes) {
    Elf64_Ehdr header;
    if (!get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL || header.e_machine != kHostMachine ||
        header.e_shentsize != sizeof(Elf64_Shdr))
      return;
    sections_.resize(header.e_shnum);
    for (std::size_t k = 0; k < sections_.size(); ++k)
      if (!get(header.e_shoff + k * sizeof(Elf64_Shdr), sections_[k])) return;
    is_object_ = find_places();
  }

  // Bytes of memory, or 0 for what cannot be linked.
  std::size_t size() const { return is_object_ ? size_ : 0; }

  // The code, with its bytes at a place of memory; null where it refers to what is not in the object.
  Code link(std::byte* to) const {
    for (std::size_t k = 0; k < sections_.size(); ++k)
      if (is_loaded(k)) std::memcpy(to + places_[k], bytes_.data() + sections_[k].sh_offset, sections_[k].sh_size);
    for (const auto& section : sections_)
      if (section.sh_type == SHT_RELA && is_loaded(section.sh_info) && !relocate(section, to)) return nullptr;
    return find_function(to);
  }

 private:
  static constexpr std::size_t kMost = std::size_t{64} << 20;

  template <typename T>
  bool get(std::uint64_t at, T& out) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof out) return false;
    std::memcpy(&out, bytes_.data() + at, sizeof out);
    return true;
  }
  bool is_loaded(std::size_t section) const {
    return section < sections_.size() && (sections_[section].sh_flags & SHF_ALLOC) != 0;
  }
  bool find_places() {
    for (const auto& section : sections_) {
      places_.push_back(size_);
      if ((section.sh_flags & SHF_ALLOC) == 0) continue;
      const auto alignment = section.sh_addralign > 1 ? section.sh_addralign : 1;
      if (section.sh_type != SHT_PROGBITS || (section.sh_flags & (SHF_WRITE | SHF_TLS)) != 0 ||
          section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset ||
          alignment > kLine || (alignment & (alignment - 1)) != 0)
        return false;
      places_.back() = (size_ + alignment - 1) / alignment * alignment;
      size_ = places_.back() + section.sh_size;
      if (size_ > kMost) return false;
    }
    return size_ > 0;
  }
  // Where a symbol lies in memory, from the start of the object on; -1 for one that lies elsewhere.
  std::int64_t place_of(const Elf64_Shdr& symbols, std::uint64_t number, Elf64_Sym& symbol) const {
    if (number >= symbols.sh_size / sizeof symbol || !get(symbols.sh_offset + number * sizeof symbol, symbol) ||
        symbol.st_shndx == SHN_UNDEF || !is_loaded(symbol.st_shndx) ||
        symbol.st_value > sections_[symbol.st_shndx].sh_size)
      return -1;
    return static_cast<std::int64_t>(places_[symbol.st_shndx] + symbol.st_value);
  }
  bool relocate(const Elf64_Shdr& section, std::byte* to) const {
    if (section.sh_link >= sections_.size()) return false;
    const auto& target = sections_[section.sh_info];
    for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Rela); ++k) {
      Elf64_Rela entry;
      Elf64_Sym symbol;
      if (!get(section.sh_offset + k * sizeof entry, entry)) return false;
      const auto place = place_of(sections_[section.sh_link], ELF64_R_SYM(entry.r_info), symbol);
      if (place < 0 || entry.r_offset > target.sh_size) return false;
      auto* const at = to + places_[section.sh_info] + entry.r_offset;
      const auto address = reinterpret_cast<std::uintptr_t>(to) + static_cast<std::uint64_t>(place + entry.r_addend);
      const CodeAddress wanted{static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)),
                               reinterpret_cast<std::uintptr_t>(at), address};
      if (!relocate_on_host(wanted, {at, target.sh_size - entry.r_offset})) return false;
    }
    return true;
  }
  // The only one that others see.
  Code find_function(std::byte* to) const {
    for (const auto& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) continue;
      for (std::uint64_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); ++k) {
        Elf64_Sym symbol;
        const auto place = place_of(section, k, symbol);
        if (place >= 0 && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
          return reinterpret_cast<Code>(to + place);
      }
    }
    return nullptr;
  }

  const std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::size_t> places_;  // of sections in memory
  std::size_t size_ = 0;
  bool is_object_ = false;
};

}  // namespace

std::unique_ptr<LinkedCode> LinkedCode::of(std::span<const std::optional<std::string>> objects) {
  std::vector<Object> all;
  std::size_t size = 0;
  for (const auto& object : objects) size += in_lines(all.emplace_back(object ? *object : std::string_view()).size());
  if (size == 0) return nullptr;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<LinkedCode> out(new LinkedCode(static_cast<std::byte*>(memory), size));
  auto* at = out->bytes_;
  for (const auto& object : all) {
    out->codes_.push_back(object.size() > 0 ? object.link(at) : nullptr);
    at += in_lines(object.size());
  }
  __builtin___clear_cache(reinterpret_cast<char*>(out->bytes_), reinterpret_cast<char*>(at));
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) return nullptr;
  return out;
}

LinkedCode::~LinkedCode() { munmap(bytes_, size_); }

}  // namespace nvmlkit::ptx
