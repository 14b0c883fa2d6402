// Folder::read()
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <variant>

#include "node/alike.hpp"
#include "node/folder.hpp"

namespace nvmlkit::node {
namespace fs = std::filesystem;
namespace {

// Equals no entry that anybody wants.
root::Entry something_else() { return root::Text{{}, ~0U}; }

unsigned char type_of(int folder, const char* name) {
  struct stat about {};
  if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(about.st_mode));
}

// A file of another kind is not opened, because a device may act on that.
bool has_kind(const root::Entry& entry, unsigned char type) {
  if (std::holds_alternative<root::Text>(entry) || std::holds_alternative<root::Copy>(entry)) return type == DT_REG;
  return true;
}

class Reader {
 public:
  Reader(const std::set<std::string>& others, const root::Tree& like) : others_(others), like_(like) {}

  void look_at(int folder, const std::string& name, const std::string& path, unsigned char type) {
    const auto wanted = like_.find(path);
    const bool alike =
        wanted != like_.end() && has_kind(wanted->second, type) && is_alike(wanted->second, folder, name);
    // A link that nobody wants is removed before what it leads to.
    out_[path] = alike ? wanted->second : type == DT_LNK ? root::Entry(root::Link{}) : something_else();
  }

  // Whatever lies below the folder; a folder without content by itself.
  void walk(int parent, const std::string& name, const std::string& path) {
    if (others_.contains(path)) return;
    const auto close_folder = [](DIR* folder) { closedir(folder); };
    const int file = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const std::unique_ptr<DIR, decltype(close_folder)> folder(file < 0 ? nullptr : fdopendir(file), close_folder);
    if (!folder) {
      if (errno == ENOENT) return;
      throw fs::filesystem_error("cannot be read", path, {errno, std::generic_category()});
    }
    bool empty = true;
    while (const auto* entry = readdir(folder.get())) {
      const std::string below = entry->d_name;
      if (below == "." || below == "..") continue;
      empty = false;
      const auto type = entry->d_type == DT_UNKNOWN ? type_of(file, entry->d_name) : entry->d_type;
      const auto below_path = path + "/" + below;
      if (type == DT_DIR)
        walk(file, below, below_path);
      else if (type != DT_UNKNOWN)
        look_at(file, below, below_path, type);
    }
    if (empty) look_at(parent, name, path, DT_DIR);
  }

  root::Tree take() { return std::move(out_); }

 private:
  const std::set<std::string>& others_;
  const root::Tree& like_;
  root::Tree out_;
};

}  // namespace

root::Tree Folder::read(const std::set<std::string>& parts, const std::set<std::string>& others,
                        const root::Tree& like) const try {
  Reader reader(others, like);
  // Others may have files in a folder of ours.
  Descent descent(top_.number());
  for (const auto& [path, entry] : like)
    if (std::holds_alternative<root::Directory>(entry))
      if (const int folder = descent.find(folder_of(path)); folder >= 0)
        if (const auto type = type_of(folder, name_of(path).c_str()); type != DT_UNKNOWN)
          reader.look_at(folder, name_of(path), path, type);
  for (const auto& part : parts) {
    if (others.contains(part)) continue;
    const auto type = type_of(top_.number(), part.c_str());
    if (type == DT_DIR)
      reader.walk(top_.number(), part, part);
    else if (type != DT_UNKNOWN)
      reader.look_at(top_.number(), part, part, type);
  }
  return reader.take();
} catch (const fs::filesystem_error& error) {
  throw fs::filesystem_error("cannot be read", root_ / error.path1(), error.code());
} catch (const std::system_error& error) {
  throw fs::filesystem_error("cannot be read", root_, error.code());
}

}  // namespace nvmlkit::node
