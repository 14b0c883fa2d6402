#include "node/alike.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "node/descriptor.hpp"

namespace nvmlkit::node {
namespace {

// One read more than the text shows that nothing follows it.
bool has_text(int file, std::string_view text) {
  std::array<char, 65536> part;
  while (true) {
    const auto size = read(file, part.data(), std::min(part.size(), text.size() + 1));
    if (size < 0 && errno == EINTR) continue;
    if (size == 0) return text.empty();
    const auto count = static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    if (size < 0 || count > text.size() || std::memcmp(part.data(), text.data(), count) != 0) return false;
    text.remove_prefix(count);
    if (text.empty() && count < part.size()) return true;  // the read was of one byte more
  }
}

struct Alike {
  int folder;
  const char* name;

  bool is_file(unsigned int mode, std::string_view text) const {
    const Descriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    return file && fstat(file.number(), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & 07777) == mode &&
           static_cast<std::size_t>(about.st_size) == text.size() && has_text(file.number(), text);
  }
  struct stat about() const {
    struct stat out {};
    if (fstatat(folder, name, &out, AT_SYMLINK_NOFOLLOW) != 0) return {};
    return out;
  }

  bool operator()(const root::Text& text) const { return is_file(text.mode, text.text); }
  bool operator()(const root::Binary& file) const { return is_file(file.mode, *file.bytes); }
  bool operator()(const root::Link& link) const {
    std::array<char, PATH_MAX> target;
    const auto size = readlinkat(folder, name, target.data(), target.size());
    return size >= 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == link.target;
  }
  bool operator()(const root::Copy& copy) const {
    const auto there = about();
    struct stat source {};
    if (!S_ISREG(there.st_mode) || stat(copy.from.c_str(), &source) != 0 || source.st_size != there.st_size)
      return false;
    std::ifstream stream(copy.from, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    return stream && is_file(copy.mode, text);
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
