// What a program learns of a file without opening it.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "preload/next.hpp"
#include "preload/view.hpp"

namespace nvmlkit::preload {
namespace {

constinit Next<int(int, const char*, int, int)> next_faccessat("faccessat");
constinit Next<ssize_t(const char*, const char*, void*, std::size_t)> next_getxattr("getxattr"),
    next_lgetxattr("lgetxattr");
constinit Next<ssize_t(const char*, char*, std::size_t)> next_listxattr("listxattr"), next_llistxattr("llistxattr");

// By the kernel: C libraries before 2.33 have no function of this name. The struct is the kernel's on these processors.
int stat_shown(int folder, const char* path, struct stat* about, int flags) {
  const Shown shown(folder, path, (flags & AT_SYMLINK_NOFOLLOW) == 0);
  return static_cast<int>(syscall(SYS_newfstatat, shown.folder(), shown.path(), about, flags));
}
struct stat* as_stat(struct stat64* about) {
  return reinterpret_cast<struct stat*>(about);
}
static_assert(sizeof(struct stat) == sizeof(struct stat64));

}  // namespace

NVMLKIT_REPLACED int stat(const char* path, struct stat* about) noexcept {
  return stat_shown(AT_FDCWD, path, about, 0);
}
NVMLKIT_REPLACED int stat64(const char* path, struct stat64* about) noexcept {
  return stat_shown(AT_FDCWD, path, as_stat(about), 0);
}
NVMLKIT_REPLACED int lstat(const char* path, struct stat* about) noexcept {
  return stat_shown(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}
NVMLKIT_REPLACED int lstat64(const char* path, struct stat64* about) noexcept {
  return stat_shown(AT_FDCWD, path, as_stat(about), AT_SYMLINK_NOFOLLOW);
}
NVMLKIT_REPLACED int fstatat(int folder, const char* path, struct stat* about, int flags) noexcept {
  return stat_shown(folder, path, about, flags);
}
NVMLKIT_REPLACED int fstatat64(int folder, const char* path, struct stat64* about, int flags) noexcept {
  return stat_shown(folder, path, as_stat(about), flags);
}
// What programs built with a C library before 2.33 call.
NVMLKIT_REPLACED int __xstat(int, const char* path, struct stat* about) noexcept {
  return stat_shown(AT_FDCWD, path, about, 0);
}
NVMLKIT_REPLACED int __xstat64(int, const char* path, struct stat64* about) noexcept {
  return stat_shown(AT_FDCWD, path, as_stat(about), 0);
}
NVMLKIT_REPLACED int __lxstat(int, const char* path, struct stat* about) noexcept {
  return stat_shown(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}
NVMLKIT_REPLACED int __lxstat64(int, const char* path, struct stat64* about) noexcept {
  return stat_shown(AT_FDCWD, path, as_stat(about), AT_SYMLINK_NOFOLLOW);
}
NVMLKIT_REPLACED int __fxstatat(int, int folder, const char* path, struct stat* about, int flags) noexcept {
  return stat_shown(folder, path, about, flags);
}
NVMLKIT_REPLACED int __fxstatat64(int, int folder, const char* path, struct stat64* about, int flags) noexcept {
  return stat_shown(folder, path, as_stat(about), flags);
}
NVMLKIT_REPLACED int statx(int folder, const char* path, int flags, unsigned int mask, struct statx* about) noexcept {
  const Shown shown(folder, path, (flags & AT_SYMLINK_NOFOLLOW) == 0);
  return static_cast<int>(syscall(SYS_statx, shown.folder(), shown.path(), flags, mask, about));
}

NVMLKIT_REPLACED int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  const Shown shown(folder, path, (flags & AT_SYMLINK_NOFOLLOW) == 0);
  return next_faccessat(shown.folder(), shown.path(), mode, flags);
}
NVMLKIT_REPLACED int access(const char* path, int mode) noexcept { return faccessat(AT_FDCWD, path, mode, 0); }
NVMLKIT_REPLACED int euidaccess(const char* path, int mode) noexcept {
  return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}
NVMLKIT_REPLACED int eaccess(const char* path, int mode) noexcept {
  return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

NVMLKIT_REPLACED ssize_t getxattr(const char* path, const char* name, void* value, std::size_t size) noexcept {
  return next_getxattr(Shown(path).path(), name, value, size);
}
NVMLKIT_REPLACED ssize_t lgetxattr(const char* path, const char* name, void* value, std::size_t size) noexcept {
  return next_lgetxattr(Shown(path, false).path(), name, value, size);
}
NVMLKIT_REPLACED ssize_t listxattr(const char* path, char* list, std::size_t size) noexcept {
  return next_listxattr(Shown(path).path(), list, size);
}
NVMLKIT_REPLACED ssize_t llistxattr(const char* path, char* list, std::size_t size) noexcept {
  return next_llistxattr(Shown(path, false).path(), list, size);
}

}  // namespace nvmlkit::preload
