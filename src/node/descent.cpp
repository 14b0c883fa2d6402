#include "node/descent.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace nvmlkit::node {
namespace {

constexpr mode_t kMode = 0755;

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

std::string_view first_name(std::string_view path) { return path.substr(0, path.find('/')); }

std::string_view behind(std::string_view path, std::size_t done) {
  return path.substr(std::min(path.size(), done == 0 ? 0 : done + 1));
}

Descriptor open_folder(int at, const std::string& name) {
  return Descriptor(openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

std::string_view folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string name_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::size_t Descent::descend(std::string_view folder) {
  std::size_t done = 0, steps = 0;
  for (; steps < open_.size(); ++steps) {
    const auto name = first_name(behind(folder, done));
    if (name.empty() || name != open_[steps].name) break;
    done += name.size() + (done == 0 ? 0 : 1);
  }
  open_.resize(steps);
  while (done < folder.size()) {
    std::string name(first_name(behind(folder, done)));
    auto next = open_folder(here(), name);
    if (!next && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) fail();
    if (!next) return done;
    done += name.size() + (done == 0 ? 0 : 1);
    open_.push_back({std::move(name), std::move(next)});
  }
  return done;
}

int Descent::find(std::string_view folder) { return descend(folder) == folder.size() ? here() : -1; }

std::string_view Descent::missing(std::string_view folder) {
  const auto done = descend(folder);
  if (done == folder.size()) return {};
  return folder.substr(0, std::min(folder.find('/', done + 1), folder.size()));
}

int Descent::make(std::string_view folder) {
  for (auto done = descend(folder); done < folder.size();) {
    std::string name(first_name(behind(folder, done)));
    const auto make = [&] { return mkdirat(here(), name.c_str(), kMode); };
    if (make() != 0 && (errno != EEXIST || unlinkat(here(), name.c_str(), 0) != 0 || make() != 0)) fail();
    struct stat about {};
    if (fstatat(here(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) fail();
    if ((about.st_mode & 07777) != kMode && fchmodat(here(), name.c_str(), kMode, 0) != 0) fail();
    auto next = open_folder(here(), name);
    if (!next) fail();
    done += name.size() + (done == 0 ? 0 : 1);
    open_.push_back({std::move(name), std::move(next)});
  }
  return here();
}

}  // namespace nvmlkit::node
