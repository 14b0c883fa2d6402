#include "root/tree.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace nvmlkit::root {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& path) {
  throw fs::filesystem_error("cannot be written", path, {errno, std::generic_category()});
}

struct Writer {
  const fs::path& path;

  void permit(unsigned int mode) const { fs::permissions(path, static_cast<fs::perms>(mode)); }

  void operator()(const Text& file) const {
    std::ofstream stream(path, std::ios::binary);
    if (!(stream << file.text).flush()) refuse(path);
    permit(file.mode);
  }
  void operator()(const Link& link) const { fs::create_symlink(link.target, path); }
  void operator()(const Copy& copy) const {
    fs::copy_file(copy.from, path);
    permit(copy.mode);
  }
  void operator()(const Node& node) const {
    if (mknod(path.c_str(), S_IFCHR | node.mode, makedev(node.major, node.minor)) != 0 &&
        !std::ofstream(path, std::ios::binary).flush())
      refuse(path);
    permit(node.mode);
  }
  void operator()(const Directory& directory) const {
    fs::create_directories(path);
    permit(directory.mode);
  }
};

}  // namespace

void write(const Entry& entry, const fs::path& path) { std::visit(Writer{path}, entry); }

void write(const Tree& tree, const fs::path& root) {
  fs::path made;  // entries of one folder mostly follow one another
  for (const auto& [below, entry] : tree) {
    const fs::path path = root / below;
    if (auto parent = path.parent_path(); parent != made) {
      fs::create_directories(parent);
      made = std::move(parent);
    }
    write(entry, path);
  }
}

Link link_between(const std::string& path, const std::string& target) {
  return {fs::path("/" + target).lexically_relative(fs::path("/" + path).parent_path()).string()};
}

void Place::add(std::string_view name, std::string_view value, unsigned int mode) const {
  add_bytes(name, std::string(value) + "\n", mode);
}

void Place::add_bytes(std::string_view name, std::string bytes, unsigned int mode) const {
  tree_[below(name).path_] = Text{std::move(bytes), mode};
}

void Place::link(std::string_view name, const std::string& target) const {
  const auto from = below(name).path_;
  tree_[from] = link_between(from, target);
}

}  // namespace nvmlkit::root
