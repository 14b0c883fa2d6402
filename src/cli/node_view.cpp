#include "cli/node_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/command_error.hpp"
#include "node/make.hpp"
#include "root/devices.hpp"
#include "root/files.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOption = "--with-node";
constexpr std::string_view kShown[] = {"dev/", "proc/", "sys/"};

[[noreturn]] void refuse(std::string what, int reason, std::string hint = {}) {
  throw CommandError(of_argument(kOption, {.kind = sim::ProblemKind::impossible,
                                           .what = fmt::format("{}: {}", what, std::strerror(reason)),
                                           .hint = std::move(hint)}),
                     kFailed);
}

void mount_or_refuse(const char* from, const fs::path& at, const char* type, unsigned long flags) {
  if (mount(from, at.c_str(), type, flags, nullptr) != 0) refuse(fmt::format("cannot mount {}", at.string()), errno);
}

void bind(const fs::path& from, const fs::path& at) { mount_or_refuse(from.c_str(), at, nullptr, MS_BIND | MS_REC); }

void write_map(const char* file, const std::string& text) {
  std::ofstream stream(file);
  if (!(stream << text).flush()) refuse(fmt::format("cannot write {}", file), errno);
}

void leave_mounts_of_host() {
  const auto user = geteuid();
  const auto group = getegid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      refuse("no mount namespace", errno,
             "run it as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone, "
             "user.max_user_namespaces)");
    write_map("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
    write_map("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
  }
  mount_or_refuse("none", "/", nullptr, MS_REC | MS_PRIVATE);
}

// Shows `from` at `at`, where nothing is yet.
void show(const fs::path& from, const fs::path& at) {
  const auto status = fs::symlink_status(from);
  if (fs::is_symlink(status)) return fs::create_symlink(fs::read_symlink(from), at);
  if (fs::is_directory(status))
    fs::create_directory(at);
  else
    close(open(at.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  bind(from, at);
}

bool is_folder(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }

// Fills the empty folder `at` with the entries of two folders. A file of ours stands for the host's of the same name.
void merge(const fs::path& host, const fs::path& ours, const fs::path& at) {
  std::set<std::string> shown;
  for (const auto& entry : fs::directory_iterator(ours)) {
    const auto name = entry.path().filename();
    shown.insert(name);
    if (is_folder(entry.path()) && is_folder(host / name)) {
      fs::create_directory(at / name);
      merge(host / name, entry.path(), at / name);
    } else {
      show(entry.path(), at / name);
    }
  }
  for (const auto& entry : fs::directory_iterator(host, fs::directory_options::skip_permission_denied))
    if (!shown.contains(entry.path().filename())) show(entry.path(), at / entry.path().filename());
}

// Puts a folder with the entries of both in place of the host's.
void cover(const fs::path& host, const fs::path& ours, const fs::path& merged) {
  fs::create_directories(merged);
  mount_or_refuse("nvmlkit", merged, "tmpfs", 0);
  merge(host, ours, merged);
  fs::permissions(merged, fs::status(host).permissions());
  mount_or_refuse(merged.c_str(), host, nullptr, MS_MOVE);
}

// Nothing can be added to /proc: its files and folders are covered where the host has them.
void cover_proc(const fs::path& ours, const fs::path& merged) {
  for (const auto& entry : fs::directory_iterator(ours)) {
    const auto host = "/proc" / entry.path().filename();
    if (!fs::exists(host))
      fmt::print(stderr, "nvmlkit: {}: this host has no {}, and none can be added\n", kOption, host.string());
    else if (is_folder(host))
      cover(host, entry.path(), merged);
    else
      bind(entry.path(), host);
  }
}

}  // namespace

root::Tree node_files(const sim::Machine& machine) {
  root::Tree tree;
  root::add_files(tree, machine, root::devices_of(machine));
  std::erase_if(tree, [](const auto& file) {
    return std::none_of(std::begin(kShown), std::end(kShown),
                        [&](std::string_view part) { return file.first.starts_with(part); });
  });
  return tree;
}

// Tried by a child, because no process leaves its namespace again.
bool may_enter_node_view(const fs::path& place) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    try {
      leave_mounts_of_host();
      mount_or_refuse("nvmlkit", place, "tmpfs", 0);
    } catch (const CommandError&) {
      _exit(kFailed);
    }
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void enter_node_view(const root::Tree& files, const fs::path& place) try {
  leave_mounts_of_host();
  mount_or_refuse("nvmlkit", place, "tmpfs", 0);
  const auto ours = place / "files";
  node::make(files, ours);
  for (const char* part : {"sys", "dev"})
    if (fs::exists(ours / part)) cover(fs::path("/") / part, ours / part, place / "merged" / part);
  if (fs::exists(ours / "proc")) cover_proc(ours / "proc", place / "merged/proc");
} catch (const fs::filesystem_error& error) {
  refuse(error.path1().string(), error.code().value());
}

}  // namespace nvmlkit::cli
