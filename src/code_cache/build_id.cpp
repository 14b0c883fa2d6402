#include "code_cache/build_id.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nvmlkit::code_cache {
namespace {

constexpr std::size_t kMostNotes = 4096;  // bytes

struct File {
  const int number;

  explicit File(const char* path) : number(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (number >= 0) close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool read(std::uint64_t at, void* to, std::size_t size) const {
    return pread(number, to, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }
};

// Name and content of each note fill whole words.
std::size_t in_words(std::size_t size) { return (size + 3) / 4 * 4; }

std::string find_in(std::string_view notes) {
  constexpr std::string_view kOwner("GNU\0", 4);
  Elf64_Nhdr note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const auto name = in_words(note.n_namesz), all = name + in_words(note.n_descsz);
    if (all > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == kOwner)
      return std::string(notes.substr(name, note.n_descsz));
    notes.remove_prefix(all);
  }
  return {};
}

}  // namespace

std::string build_id_of(const char* path) {
  const File file(path);
  Elf64_Ehdr header;
  if (!file.read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr part;
    if (!file.read(header.e_phoff + k * sizeof part, &part, sizeof part)) return {};
    if (part.p_type != PT_NOTE || part.p_filesz > kMostNotes) continue;
    std::string notes(part.p_filesz, '\0');
    if (!file.read(part.p_offset, notes.data(), notes.size())) return {};
    if (auto found = find_in(notes); !found.empty()) return found;
  }
  return {};
}

}  // namespace nvmlkit::code_cache
