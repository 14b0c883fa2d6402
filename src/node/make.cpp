#include "node/make.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "node/descent.hpp"
#include "node/source.hpp"

namespace nvmlkit::node {
namespace fs = std::filesystem;
namespace {

void check(bool good) {
  if (!good) throw std::system_error(errno, std::generic_category());
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto size = write(file, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    check(size > 0);
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

struct Maker {
  int folder;
  const std::string& name;

  // The mask of the process, or a list of rights of the folder, may have taken something from the mode.
  void permit(mode_t mode) const {
    struct stat about {};
    check(fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0);
    if ((about.st_mode & 07777) != mode) check(fchmodat(folder, name.c_str(), mode, 0) == 0);
  }
  template <class Write>
  void make_file(mode_t mode, Write&& write) const {
    const Descriptor file(openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    check(bool(file));
    write(file.number());
    struct stat about {};
    check(fstat(file.number(), &about) == 0);
    if ((about.st_mode & 07777) != mode) check(fchmod(file.number(), mode) == 0);
  }

  void operator()(const root::Text& text) const {
    make_file(text.mode, [&](int file) { write_all(file, text.text); });
  }
  void operator()(const root::Link& link) const { check(symlinkat(link.target.c_str(), folder, name.c_str()) == 0); }
  void operator()(const root::Copy& copy) const {
    Source source(copy);
    make_file(copy.mode, [&](int file) {
      for (auto part = source.next(); !part.empty(); part = source.next()) write_all(file, part);
    });
  }
  void operator()(const root::Node& node) const {
    if (mknodat(folder, name.c_str(), S_IFCHR | node.mode, makedev(node.major, node.minor)) == 0)
      permit(node.mode);
    else if (errno != EEXIST)
      make_file(node.mode, [](int) {});
    else
      check(false);
  }
  void operator()(const root::Directory& directory) const {
    check(mkdirat(folder, name.c_str(), directory.mode) == 0 || errno == EEXIST);
    permit(directory.mode);
  }
};

}  // namespace

void make(const root::Entry& entry, int folder, const std::string& name) { std::visit(Maker{folder, name}, entry); }

void make(const root::Tree& tree, const fs::path& folder) {
  fs::create_directories(folder);
  const Descriptor top(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Descent descent(top.number());
  for (const auto& [path, entry] : tree) try {
      make(entry, descent.make(folder_of(path)), name_of(path));
    } catch (const fs::filesystem_error&) {
      throw;
    } catch (const std::system_error& error) {
      throw fs::filesystem_error("cannot be written", folder / path, error.code());
    }
}

}  // namespace nvmlkit::node
