#include "driver/cuda/fatbin/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "driver/cuda/fatbin/container.hpp"

namespace nvmlkit::cuda::fatbin {
namespace {

// How the files of ours begin: as a cubin, and with a name in the padding. There is no zero in it, so that it can be
// compared with whatever a pointer leads to.
constexpr std::string_view kIdent =
    "\x7f"
    "ELF\2\1\1\x33\7nvmlkit";
static_assert(kIdent.size() == EI_NIDENT);
constexpr std::string_view kTextSection = ".nvmlkit.ptx";
constexpr std::string_view kNames = std::string_view("\0.nvmlkit.ptx\0.shstrtab\0", 24);
constexpr std::size_t kNameOfText = 1, kNameOfNames = 14;
constexpr std::uint16_t kMachineCuda = 190;

template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

std::span<const std::byte> part(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(offset, size);
}

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_elf(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_shentsize == sizeof(Elf64_Shdr);
}

bool is_ours(const Elf64_Ehdr& header) {
  return is_elf(header) && std::memcmp(header.e_ident, kIdent.data(), kIdent.size()) == 0;
}

}  // namespace

std::optional<std::vector<Section>> sections(std::span<const std::byte> file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || !is_elf(*header)) return std::nullopt;
  const auto entry = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  std::span<const std::byte> names;
  if (const auto own = entry(header->e_shstrndx)) names = part(file, own->sh_offset, own->sh_size);
  std::vector<Section> out;
  for (std::size_t k = 0; k < header->e_shnum; ++k) {
    const auto own = entry(k);
    if (!own) break;
    if (own->sh_type == SHT_NULL || own->sh_type == SHT_NOBITS || own->sh_name >= names.size()) continue;
    const auto* const name = reinterpret_cast<const char*>(names.data()) + own->sh_name;
    const std::string_view named(name, strnlen(name, names.size() - own->sh_name));
    out.push_back(Section{named, part(file, own->sh_offset, own->sh_size)});
  }
  return out;
}

std::optional<std::vector<std::span<const std::byte>>> regions(std::span<const std::byte> file) {
  const auto all = sections(file);
  if (!all) return std::nullopt;
  std::vector<std::span<const std::byte>> out;
  for (const auto& section : *all) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    for (auto rest = section.bytes; const auto size = region_size(rest); rest = rest.subspan(size))
      out.push_back(rest.first(size));
  }
  return out;
}

std::optional<std::vector<std::span<const std::byte>>> members(std::span<const std::byte> file) {
  constexpr std::string_view kMagic = "!<arch>\n";
  constexpr std::size_t kHeader = 60, kSizeAt = 48, kSizeDigits = 10;
  if (file.size() < kMagic.size() || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) return std::nullopt;
  std::vector<std::span<const std::byte>> out;
  for (std::size_t place = kMagic.size(); place + kHeader <= file.size();) {
    const auto* const digits = reinterpret_cast<const char*>(file.data()) + place + kSizeAt;
    std::size_t size = 0;
    if (std::from_chars(digits, digits + kSizeDigits, size).ec != std::errc{}) break;
    place += kHeader;
    if (size > file.size() - place) break;
    out.push_back(file.subspan(place, size));
    place += size + size % 2;
  }
  return out;
}

std::string image_of(const Image& image) {
  const auto& texts = image.texts;
  const auto count = texts.size() + 2;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, kIdent.data(), kIdent.size());
  header.e_type = ET_EXEC;
  header.e_machine = kMachineCuda;
  header.e_version = EV_CURRENT;
  header.e_flags = static_cast<Elf64_Word>(image.architecture);
  header.e_shoff = header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(count);
  header.e_shstrndx = static_cast<Elf64_Half>(count - 1);
  std::string out;
  append(out, header);
  append(out, Elf64_Shdr{});
  auto place = sizeof header + count * sizeof(Elf64_Shdr);
  const auto section = [&](std::size_t name, std::uint32_t type, std::size_t size) {
    Elf64_Shdr entry{};
    entry.sh_name = static_cast<Elf64_Word>(name);
    entry.sh_type = type;
    entry.sh_offset = place;
    entry.sh_size = size;
    entry.sh_addralign = 1;
    append(out, entry);
    place += size;
  };
  for (const auto& text : texts) section(kNameOfText, SHT_PROGBITS, text.size());
  section(kNameOfNames, SHT_STRTAB, kNames.size());
  for (const auto& text : texts) out += text;
  out += kNames;
  return out;
}

std::optional<Image> image_in(std::span<const std::byte> file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || !is_ours(*header)) return std::nullopt;
  const auto all = sections(file);
  Image out{{}, static_cast<int>(header->e_flags)};
  for (const auto& section : *all)
    if (section.name == kTextSection)
      out.texts.emplace_back(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
  return out;
}

std::optional<Image> image_at(const void* file) {
  const auto* const start = static_cast<const std::byte*>(file);
  if (std::strncmp(static_cast<const char*>(file), kIdent.data(), kIdent.size()) != 0) return std::nullopt;
  const auto header = *read_at<Elf64_Ehdr>({start, sizeof(Elf64_Ehdr)}, 0);
  if (!is_ours(header) || header.e_shstrndx >= header.e_shnum) return std::nullopt;
  const auto table_end = header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
  const auto last = *read_at<Elf64_Shdr>({start, table_end}, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
  return image_in(std::span(start, last.sh_offset + last.sh_size));
}

}  // namespace nvmlkit::cuda::fatbin
