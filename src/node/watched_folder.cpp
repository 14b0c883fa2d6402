#include "node/watched_folder.hpp"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>
#include <utility>

#include "node/inotify.hpp"
#include "sim/config/read_file.hpp"

namespace nvmlkit::node {
namespace fs = std::filesystem;

WatchedFolder::WatchedFolder(fs::path folder) : folder_(std::move(folder)), events_(open_inotify()) {
  watch();
  if (watch_ < 0) throw fs::filesystem_error("cannot be watched", folder_, {errno, std::generic_category()});
}

void WatchedFolder::watch() {
  constexpr unsigned int kChanges =
      IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR;
  if (watch_ >= 0) inotify_rm_watch(events_.number(), watch_);
  watch_ = inotify_add_watch(events_.number(), folder_.c_str(), kChanges);
}

// The content of a new file comes later, unless it is another name of one that is there.
bool WatchedFolder::counts(unsigned int what, const std::string& name) const {
  if ((what & IN_CREATE) == 0) return true;
  struct stat about {};
  if (lstat((folder_ / name).c_str(), &about) != 0) return true;
  return !S_ISREG(about.st_mode) || about.st_nlink > 1;
}

bool WatchedFolder::take_changes() {
  bool changed = false;
  alignas(inotify_event) std::array<char, 16 * (sizeof(inotify_event) + NAME_MAX + 1)> buffer;
  for (ssize_t size = 0; (size = ::read(events_.number(), buffer.data(), buffer.size())) > 0;)
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const std::string name = event.len > 0 ? buffer.data() + at + sizeof event : "";
      changed |= counts(event.mask, name);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  return changed;
}

std::map<std::string, sim::Expected<std::string>> WatchedFolder::read() const {
  std::map<std::string, sim::Expected<std::string>> out;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const auto name = at->path().filename().string();
    if (name.starts_with('.') || !(name.ends_with(".yaml") || name.ends_with(".yml"))) continue;
    auto text = sim::config::read_file(at->path().string());
    std::error_code ignored;
    if (!text && !fs::exists(at->path(), ignored)) continue;
    out.emplace(name, std::move(text));
  }
  return out;
}

}  // namespace nvmlkit::node
