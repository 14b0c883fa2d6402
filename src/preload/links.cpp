// Links, and the path of a file without links. No path of the view reaches the program.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "preload/next.hpp"
#include "preload/view.hpp"

namespace nvmlkit::preload {
namespace {

constinit Next<char*(const char*, char*)> next_realpath("realpath");
constinit Next<char*(char*, std::size_t)> next_getcwd("getcwd");
constinit Next<int(const char*)> next_chdir("chdir");

ssize_t read_shown(int folder, const char* path, char* target, std::size_t size) {
  const Shown shown(folder, path, false);
  const ssize_t got = syscall(SYS_readlinkat, shown.folder(), shown.path(), target, size);
  return got < 0 ? got : static_cast<ssize_t>(hide_view(target, static_cast<std::size_t>(got)));
}

char* without_view(char* path) {
  if (path != nullptr) path[hide_view(path, std::strlen(path))] = '\0';
  return path;
}

}  // namespace

NVMLKIT_REPLACED ssize_t readlink(const char* path, char* target, std::size_t size) noexcept {
  return read_shown(AT_FDCWD, path, target, size);
}
NVMLKIT_REPLACED ssize_t readlinkat(int folder, const char* path, char* target, std::size_t size) noexcept {
  return read_shown(folder, path, target, size);
}
NVMLKIT_REPLACED ssize_t __readlink_chk(const char* path, char* target, std::size_t size, std::size_t room) {
  if (size > room) std::abort();
  return read_shown(AT_FDCWD, path, target, size);
}
NVMLKIT_REPLACED ssize_t __readlinkat_chk(int folder, const char* path, char* target, std::size_t size,
                                          std::size_t room) {
  if (size > room) std::abort();
  return read_shown(folder, path, target, size);
}

NVMLKIT_REPLACED char* realpath(const char* path, char* resolved) noexcept {
  return without_view(next_realpath(Shown(path).path(), resolved));
}
NVMLKIT_REPLACED char* __realpath_chk(const char* path, char* resolved, std::size_t room) {
  if (resolved != nullptr && room < PATH_MAX) std::abort();
  return realpath(path, resolved);
}
NVMLKIT_REPLACED char* canonicalize_file_name(const char* path) noexcept { return realpath(path, nullptr); }

NVMLKIT_REPLACED int chdir(const char* path) noexcept { return next_chdir(Shown(path).path()); }
NVMLKIT_REPLACED char* getcwd(char* path, std::size_t size) noexcept { return without_view(next_getcwd(path, size)); }
NVMLKIT_REPLACED char* __getcwd_chk(char* path, std::size_t size, std::size_t room) {
  if (size > room) std::abort();
  return getcwd(path, size);
}
NVMLKIT_REPLACED char* get_current_dir_name() noexcept { return getcwd(nullptr, 0); }

}  // namespace nvmlkit::preload
