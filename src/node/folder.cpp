#include "node/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

namespace nvmlkit::node {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_at(const fs::path& path, int error) {
  throw fs::filesystem_error("cannot be written", path, {error, std::generic_category()});
}

// Equals no entry that anybody wants.
root::Entry something_else() { return root::Text{{}, ~0U}; }

bool has_text(const fs::path& path, std::string_view text) {
  std::ifstream stream(path, std::ios::binary);
  std::array<char, 65536> part;
  while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
    const auto size = static_cast<std::size_t>(stream.gcount());
    if (size > text.size() || std::memcmp(part.data(), text.data(), size) != 0) return false;
    text.remove_prefix(size);
  }
  return text.empty() && stream.eof();
}

bool is_same_content(const fs::path& a, const fs::path& b) {
  std::ifstream stream(b, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  return stream && has_text(a, text);
}

// Is the file at `path` like the entry?
struct Alike {
  const fs::path& path;
  const struct stat& about;

  bool is_file(unsigned int mode) const { return S_ISREG(about.st_mode) && (about.st_mode & 07777) == mode; }

  bool operator()(const root::Text& text) const {
    return is_file(text.mode) && static_cast<std::size_t>(about.st_size) == text.text.size() &&
           has_text(path, text.text);
  }
  bool operator()(const root::Link& link) const {
    std::error_code error;
    return S_ISLNK(about.st_mode) && fs::read_symlink(path, error) == link.target && !error;
  }
  bool operator()(const root::Copy& copy) const {
    std::error_code error;
    return is_file(copy.mode) && fs::file_size(copy.from, error) == static_cast<std::size_t>(about.st_size) && !error &&
           is_same_content(path, copy.from);
  }
  bool operator()(const root::Directory& directory) const {
    return S_ISDIR(about.st_mode) && (about.st_mode & 07777) == directory.mode;
  }
  bool operator()(const root::Node& node) const {
    return S_ISCHR(about.st_mode) && about.st_rdev == makedev(node.major, node.minor) &&
           (about.st_mode & 07777) == node.mode;
  }
};

bool is_empty_file(const fs::path& path, unsigned int mode) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0 &&
         (about.st_mode & 07777) == mode;
}

}  // namespace

Folder::Folder(fs::path root) : root_(std::move(root)) {
  fs::create_directories(root_);
  fd_ = open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) fail_at(root_, errno);
  mine_ = flock(fd_, LOCK_EX | LOCK_NB) == 0;
  if (!mine_) return;
  fs::remove_all(root_ / kStaging);  // of a program that was killed
  fs::create_directory(root_ / kStaging);
}

Folder::~Folder() {
  std::error_code error;
  if (mine_) fs::remove_all(root_ / kStaging, error);
  close(fd_);
}

root::Tree Folder::read(const std::set<std::string>& parts, const std::set<std::string>& others,
                        const root::Tree& like) const {
  root::Tree out;
  const auto look_at = [&](const fs::path& path) {
    struct stat about {};
    if (lstat(path.c_str(), &about) != 0) return;
    const auto name = path.lexically_relative(root_).string();
    const auto wanted = like.find(name);
    const bool alike = wanted != like.end() && std::visit(Alike{path, about}, wanted->second);
    // A link that nobody wants is removed before what it leads to.
    out[name] = alike ? wanted->second : S_ISLNK(about.st_mode) ? root::Entry(root::Link{}) : something_else();
  };
  // Others may have files in a folder of ours.
  for (const auto& [name, entry] : like)
    if (std::holds_alternative<root::Directory>(entry)) look_at(root_ / name);
  for (const auto& part : parts) {
    const auto top = root_ / part;
    if (!fs::is_directory(fs::symlink_status(top))) {
      look_at(top);
      continue;
    }
    for (auto at = fs::recursive_directory_iterator(top); at != fs::recursive_directory_iterator(); ++at) {
      const auto& path = at->path();
      if (others.contains(path.lexically_relative(root_).string()))
        at.disable_recursion_pending();
      else if (!fs::is_directory(at->symlink_status()) || fs::is_empty(path))
        look_at(path);
    }
  }
  return out;
}

// A file or a link where a folder has to be leads elsewhere and goes.
void Folder::make_parents(const fs::path& path) const {
  fs::path at = root_;
  for (const auto& name : path.parent_path()) {
    at /= name;
    const auto status = fs::symlink_status(at);
    if (fs::is_directory(status)) continue;
    if (fs::exists(status)) fs::remove(at);
    fs::create_directory(at);
    fs::permissions(at, static_cast<fs::perms>(0755));
  }
}

void Folder::put(const std::string& path, const root::Entry& entry) const {
  if (const auto* directory = std::get_if<root::Directory>(&entry)) {
    make_parents(fs::path(path) / "any");
    return fs::permissions(root_ / path, static_cast<fs::perms>(directory->mode));
  }
  fs::remove_all(staged());
  root::write(entry, staged());
  // Without the right to make nodes, the empty file that stands for one stays: containers may have it mounted.
  if (const auto* node = std::get_if<root::Node>(&entry);
      node && is_empty_file(staged(), node->mode) && is_empty_file(root_ / path, node->mode))
    return;
  move(path);
}

void Folder::move(const std::string& path) const {
  make_parents(path);
  const auto to = root_ / path;
  if (fs::is_directory(fs::symlink_status(to))) fs::remove_all(to);
  fs::rename(staged(), to);
}

void Folder::erase(const std::string& path) const {
  const auto file = root_ / path;
  fs::path parent = root_;
  for (const auto& name : fs::path(path).parent_path())
    if (parent /= name; !fs::is_directory(fs::symlink_status(parent))) return;  // a link may lead to a file to keep
  if (unlink(file.c_str()) != 0 && errno != ENOENT)
    if (const int error = errno; !fs::is_directory(fs::symlink_status(file))) fail_at(file, error);
  // A folder that is not empty ends this.
  for (fs::path at = path; !at.empty(); at = at.parent_path())
    if (const auto folder = root_ / at; rmdir(folder.c_str()) != 0 && errno != ENOENT) break;
}

}  // namespace nvmlkit::node
