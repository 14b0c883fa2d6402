#include "sim/processes/cgroups.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>

#include "storage/process.hpp"

namespace nvmlkit::sim::processes {
namespace {

constexpr long kCgroupFs = 0x27e0eb, kCgroup2Fs = 0x63677270;

// A hierarchy has one device number, and in it an inode is never given again.
std::uint64_t number_of(const struct stat& about) {
  const auto mixed = about.st_ino + about.st_dev * 0x9E3779B97F4A7C15ULL;
  return mixed == 0 ? 1 : mixed;  // 0 is no cgroup
}

bool is_cgroup_fs(int file) {
  struct statfs system {};
  return fstatfs(file, &system) == 0 && (system.f_type == kCgroupFs || system.f_type == kCgroup2Fs);
}

// The first words of a line, at most `out.size()` of them.
template <std::size_t count>
std::size_t split(std::string_view line, char mark, std::array<std::string_view, count>& out) {
  std::size_t found = 0;
  while (!line.empty() && found < count) {
    const auto end = line.find(mark);
    out[found++] = line.substr(0, end);
    line = end == line.npos ? std::string_view() : line.substr(end + 1);
  }
  return found;
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    visit(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = list.find(',');
    if (list.substr(0, end) == word) return true;
    list = end == list.npos ? std::string_view() : list.substr(end + 1);
  }
  return false;
}

// Where the process of the caller sees a hierarchy: all of its cgroups below `root` lie under `point`.
struct Mount {
  std::string_view root, point;
};

// `controller` is empty for the one hierarchy of cgroup 2.
std::optional<Mount> mount_of(std::string_view mounts, std::string_view controller) {
  std::optional<Mount> out;
  for_each_line(mounts, [&](std::string_view line) {
    const auto mark = line.find(" - ");
    if (out || mark == line.npos) return;
    std::array<std::string_view, 5> before;
    std::array<std::string_view, 3> after;  // type, source, options
    if (split(line.substr(0, mark), ' ', before) < 5 || split(line.substr(mark + 3), ' ', after) < 3) return;
    const bool wanted =
        controller.empty() ? after[0] == "cgroup2" : after[0] == "cgroup" && has_word(after[2], controller);
    if (wanted) out = Mount{before[3], before[4]};
  });
  return out;
}

// Adds the cgroup at `path` of the hierarchy and those above it.
void add_all(const Mount& mount, std::string_view path, CgroupIds& out) {
  const auto root = mount.root == "/" ? std::string_view() : mount.root;
  if (!path.starts_with(root)) return;
  path.remove_prefix(root.size());
  while (path.ends_with('/')) path.remove_suffix(1);
  char whole[PATH_MAX];
  if (mount.point.size() + path.size() >= sizeof whole) return;
  std::memcpy(whole, mount.point.data(), mount.point.size());
  std::memcpy(whole + mount.point.size(), path.data(), path.size());
  auto length = mount.point.size() + path.size();
  auto next = std::find(out.begin(), out.end(), 0U);
  while (next != out.end() && length >= mount.point.size()) {
    whole[length] = '\0';
    struct stat about {};
    if (stat(whole, &about) == 0) *next++ = number_of(about);
    if (length == mount.point.size()) break;
    length = std::string_view(whole, length).rfind('/');
  }
}

}  // namespace

std::optional<std::uint64_t> cgroup_at(const char* path) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECTORY);
  if (file < 0) {
    char folder[PATH_MAX];
    const auto length = strnlen(path, sizeof folder);
    const auto end = std::string_view(path, length).rfind('/');
    if (length == sizeof folder || end == std::string_view::npos || end == 0 || access(path, F_OK) != 0) return {};
    std::memcpy(folder, path, end);
    folder[end] = '\0';
    file = open(folder, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECTORY);
    if (file < 0) return {};
  }
  struct stat about {};
  const bool good = is_cgroup_fs(file) && fstat(file, &about) == 0;
  close(file);
  return good ? std::optional(number_of(about)) : std::nullopt;
}

CgroupIds cgroups_of(std::uint32_t pid) {
  CgroupIds out{};
  char own[4096], seen[65536];
  const auto lines = storage::read_about(pid, "cgroup", own);
  const auto mounts = storage::read_about(static_cast<std::uint32_t>(getpid()), "mountinfo", seen);
  if (!lines || !mounts) return out;
  for_each_line(*lines, [&](std::string_view line) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) return;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !has_word(controllers, "memory")) return;
    if (const auto mount = mount_of(*mounts, unified ? std::string_view() : "memory"))
      add_all(*mount, line.substr(second + 1), out);
  });
  return out;
}

}  // namespace nvmlkit::sim::processes
