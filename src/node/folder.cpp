#include "node/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <variant>

#include "node/alike.hpp"
#include "node/make.hpp"

namespace nvmlkit::node {
namespace fs = std::filesystem;
namespace {

using Made = std::function<void(const std::string&)>;
using Problems = std::vector<fs::filesystem_error>;

[[noreturn]] void fail_at(const fs::path& path, std::error_code code) {
  throw fs::filesystem_error("cannot be written", path, code);
}

std::error_code last_error() { return {errno, std::generic_category()}; }

Descriptor open_folder(const fs::path& path) {
  Descriptor out(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!out) fail_at(path, last_error());
  return out;
}

// Errors get the path of the file, unless they name another one.
template <class Change>
void name_errors(const fs::path& path, Change&& change) {
  try {
    change();
  } catch (const fs::filesystem_error&) {
    throw;
  } catch (const std::system_error& error) {
    fail_at(path, error.code());
  }
}

template <class Change>
bool attempt(Problems& problems, Change&& change) {
  try {
    change();
    return true;
  } catch (const fs::filesystem_error& error) {
    problems.push_back(error);
    return false;
  }
}

bool is_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

Folder::Folder(fs::path root) : root_(std::move(root)) {
  fs::create_directories(root_);
  top_ = open_folder(root_);
  mine_ = flock(top_.number(), LOCK_EX | LOCK_NB) == 0;
  if (!mine_) return;
  fs::remove_all(root_ / kStaging);  // of a program that was killed
  fs::create_directory(root_ / kStaging);
  staging_ = open_folder(root_ / kStaging);
}

Folder::~Folder() {
  std::error_code error;
  if (mine_) fs::remove_all(root_ / kStaging, error);
}

void Folder::put(const std::string& path, const root::Entry& entry) const {
  Descent descent(top_.number());
  name_errors(root_ / path, [&] { put_one(descent, path, entry); });
}

Problems Folder::put(const std::vector<std::string>& paths, const root::Tree& tree, const Made& made) const {
  Problems problems;
  Descent descent(top_.number());
  for (std::size_t i = 0, end = 0; i < paths.size(); i = end) {
    const auto& entry = tree.at(paths[i]);
    const bool is_folder = std::holds_alternative<root::Directory>(entry);
    std::string missing;
    attempt(problems, [&] {
      name_errors(root_ / paths[i],
                  [&] { missing = descent.missing(is_folder ? std::string_view(paths[i]) : folder_of(paths[i])); });
    });
    for (end = i + 1; !missing.empty() && end < paths.size() && is_in(paths[end], missing);) ++end;
    if (end == i + 1) {
      if (attempt(problems, [&] { name_errors(root_ / paths[i], [&] { put_one(descent, paths[i], entry); }); }))
        made(paths[i]);
      continue;
    }
    const auto at = [&](std::size_t n) { return paths.begin() + static_cast<std::ptrdiff_t>(n); };
    attempt(problems, [&] {
      name_errors(root_ / missing, [&] { put_folder(descent, missing, {at(i), at(end)}, tree, made, problems); });
    });
  }
  return problems;
}

void Folder::put_one(Descent& descent, const std::string& path, const root::Entry& entry) const {
  if (const auto* directory = std::get_if<root::Directory>(&entry)) {
    descent.make(path);
    if (fchmodat(descent.make(folder_of(path)), name_of(path).c_str(), directory->mode, 0) != 0)
      fail_at(root_ / path, last_error());
    return;
  }
  if (unlinkat(staging_.number(), kNew, 0) != 0 && errno != ENOENT) fs::remove_all(staged());
  make(entry, staging_.number(), kNew);
  // Without the right to make nodes, the empty file that stands for one stays: containers may have it mounted.
  if (const auto* node = std::get_if<root::Node>(&entry); node && is_empty_file(staging_.number(), kNew, node->mode))
    if (const int folder = descent.find(folder_of(path));
        folder >= 0 && is_empty_file(folder, name_of(path), node->mode))
      return;
  move_staged(descent, path);
}

void Folder::put_folder(Descent& descent, const std::string& path, const std::vector<std::string>& files,
                        const root::Tree& tree, const Made& made, Problems& problems) const {
  fs::remove_all(staged());
  make(root::Directory{}, staging_.number(), kNew);
  const Descriptor folder(openat(staging_.number(), kNew, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) fail_at(staged(), last_error());
  Descent inside(folder.number());
  std::vector<const std::string*> good;
  for (const auto& file : files) {
    const auto make_file = [&] {
      const std::string_view below = file.size() == path.size() ? "" : std::string_view(file).substr(path.size() + 1);
      if (below.empty()) return make(tree.at(file), staging_.number(), kNew);
      make(tree.at(file), inside.make(folder_of(below)), name_of(below));
    };
    if (attempt(problems, [&] { name_errors(root_ / file, make_file); })) good.push_back(&file);
  }
  move_staged(descent, path);
  for (const auto* file : good) made(*file);
}

// What is in the way of a file or a folder may be a folder or a file.
void Folder::move_staged(Descent& descent, const std::string& path) const {
  const int folder = descent.make(folder_of(path));
  const auto name = name_of(path);
  const auto rename = [&] { return renameat(staging_.number(), kNew, folder, name.c_str()) == 0; };
  if (rename()) return;
  if (errno != EISDIR && errno != ENOTDIR && errno != ENOTEMPTY && errno != EEXIST) fail_at(root_ / path, last_error());
  fs::remove_all(root_ / path);
  if (!rename()) fail_at(root_ / path, last_error());
}

void Folder::move(const std::string& path) const {
  Descent descent(top_.number());
  name_errors(root_ / path, [&] { move_staged(descent, path); });
}

void Folder::erase(const std::string& path) const {
  const auto name = name_of(path);
  Descent descent(top_.number());
  name_errors(root_ / path, [&] {
    const int folder = descent.find(folder_of(path));
    if (folder < 0) return;  // a link may lead to a file to keep
    struct stat about {};
    if (unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return;
    if (const auto error = last_error();
        fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode))
      throw std::system_error(error);
  });
  // A folder that is not empty ends this.
  for (std::string_view at = path; !at.empty(); at = folder_of(at)) {
    const int folder = descent.find(folder_of(at));
    if (folder < 0 || (unlinkat(folder, name_of(at).c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)) break;
  }
}

}  // namespace nvmlkit::node
