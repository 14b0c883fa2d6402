#include "elf_symbols.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "api.hpp"

namespace nvmlgen::headers {

namespace {

class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path) : name_(path.string()) {
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path)) fail("cannot be read");
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    if (bytes_.size() < SELFMAG || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) fail("is not an ELF file");
    const auto header = at<Elf64_Ehdr>(0);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
      fail("is not a 64-bit little-endian ELF file");
    if (header.e_type != ET_DYN) fail("is not a shared library");
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) fail("has no section table");
    std::uint64_t count = header.e_shnum;
    if (count == 0) count = at<Elf64_Shdr>(header.e_shoff).sh_size;  // more than 65279 sections
    require(header.e_shoff, count, sizeof(Elf64_Shdr));
    for (std::uint64_t i = 0; i < count; ++i)
      sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
  }

  std::vector<std::string> symbols(std::string_view prefix) const {
    const auto table =
        std::find_if(sections_.begin(), sections_.end(), [](const Elf64_Shdr& s) { return s.sh_type == SHT_DYNSYM; });
    if (table == sections_.end()) fail("has no dynamic symbol table");
    if (table->sh_link >= sections_.size()) fail("has a symbol table without names");
    const Elf64_Shdr& names = sections_[table->sh_link];
    require(names.sh_offset, names.sh_size, 1);
    const std::uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    require(table->sh_offset, count, sizeof(Elf64_Sym));
    std::vector<std::string> result;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto symbol = at<Elf64_Sym>(table->sh_offset + i * sizeof(Elf64_Sym));
      const unsigned bind = ELF64_ST_BIND(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || (bind != STB_GLOBAL && bind != STB_WEAK)) continue;
      if (std::string name = text(names, symbol.st_name); name.starts_with(prefix)) result.push_back(std::move(name));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}: {}", name_, what)); }

  // Written so that no sum or product can overflow.
  void require(std::uint64_t offset, std::uint64_t count, std::uint64_t each) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / each)
      fail("is cut off or damaged: a table lies outside of the file");
  }

  template <class T>
  T at(std::uint64_t offset) const {
    require(offset, 1, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string text(const Elf64_Shdr& table, std::uint64_t index) const {
    if (index >= table.sh_size) fail("is damaged: a symbol name lies outside of its table");
    const char* begin = bytes_.data() + table.sh_offset + index;
    const void* end = std::memchr(begin, '\0', table.sh_size - index);
    if (!end) fail("is damaged: a symbol name does not end");
    return {begin, static_cast<const char*>(end)};
  }

  std::string name_;
  std::vector<char> bytes_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace

std::vector<std::string> exported_symbols(const std::filesystem::path& library, std::string_view prefix) {
  return ElfFile(library).symbols(prefix);
}

std::string library_version(const std::filesystem::path& library) {
  std::error_code error;
  const auto real = std::filesystem::canonical(library, error);
  const std::string name = (error ? library : real).filename().string();
  const std::size_t so = name.find(".so.");
  if (so == std::string::npos) return {};
  std::string version = name.substr(so + 4);
  // libnvidia-ml.so.1 names the interface, not a driver.
  const bool numbers = version.find_first_not_of("0123456789.") == std::string::npos;
  return numbers && version.find('.') != std::string::npos ? version : std::string{};
}

}  // namespace nvmlgen::headers
