#include "node/alike.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "node/descriptor.hpp"
#include "node/source.hpp"

namespace nvmlkit::node {
namespace {

// Reads as many bytes as the text has, unless the file ends or differs before.
bool reads(int file, std::string_view text) {
  std::array<char, 65536> part;
  while (!text.empty()) {
    const auto size = read(file, part.data(), std::min(part.size(), text.size()));
    if (size < 0 && errno == EINTR) continue;
    const auto count = static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    if (count == 0 || std::memcmp(part.data(), text.data(), count) != 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

bool is_at_end(int file) {
  char byte = 0;
  return read(file, &byte, 1) == 0;
}

struct Alike {
  int folder;
  const char* name;

  // Nothing if it is no regular file of this mode and size.
  Descriptor open_file(unsigned int mode, std::size_t size) const {
    Descriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    const bool fits = file && fstat(file.number(), &about) == 0 && S_ISREG(about.st_mode) &&
                      (about.st_mode & 07777) == mode && static_cast<std::size_t>(about.st_size) == size;
    return fits ? std::move(file) : Descriptor();
  }
  struct stat about() const {
    struct stat out {};
    if (fstatat(folder, name, &out, AT_SYMLINK_NOFOLLOW) != 0) return {};
    return out;
  }

  bool operator()(const root::Text& text) const {
    const auto file = open_file(text.mode, text.text.size());
    return file && reads(file.number(), text.text) && is_at_end(file.number());
  }
  bool operator()(const root::Link& link) const {
    std::array<char, PATH_MAX> target;
    const auto size = readlinkat(folder, name, target.data(), target.size());
    return size >= 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == link.target;
  }
  bool operator()(const root::Copy& copy) const try {
    Source source(copy);
    const auto file = open_file(copy.mode, source.size());
    if (!file) return false;
    for (auto part = source.next(); !part.empty(); part = source.next())
      if (!reads(file.number(), part)) return false;
    return is_at_end(file.number());
  } catch (const std::filesystem::filesystem_error&) {
    return false;  // making the copy says why
  }
  bool operator()(const root::Directory& directory) const {
    const auto there = about();
    return S_ISDIR(there.st_mode) && (there.st_mode & 07777) == directory.mode;
  }
  bool operator()(const root::Node& node) const {
    const auto there = about();
    return S_ISCHR(there.st_mode) && there.st_rdev == makedev(node.major, node.minor) &&
           (there.st_mode & 07777) == node.mode;
  }
};

}  // namespace

bool is_alike(const root::Entry& entry, int folder, const std::string& name) {
  return std::visit(Alike{folder, name.c_str()}, entry);
}

bool is_empty_file(int folder, const std::string& name, unsigned int mode) {
  const auto there = Alike{folder, name.c_str()}.about();
  return S_ISREG(there.st_mode) && there.st_size == 0 && (there.st_mode & 07777) == mode;
}

}  // namespace nvmlkit::node
