// Opening files.
#include <cstdarg>
#include <cstdio>

#include "preload/next.hpp"
#include "preload/view.hpp"

namespace nvmlkit::preload {
namespace {

constinit Next<int(int, const char*, int, ...)> next_openat("openat");
constinit Next<FILE*(const char*, const char*)> next_fopen("fopen");
constinit Next<FILE*(const char*, const char*, FILE*)> next_freopen("freopen");

int open_shown(int folder, const char* path, int flags, unsigned int mode) {
  const Shown shown(folder, path, (flags & O_NOFOLLOW) == 0);
  return next_openat(shown.folder(), shown.path(), flags, mode);
}

}  // namespace

// The mode is there where a file may be made.
#define NVMLKIT_MODE_AFTER(last)                                    \
  unsigned int mode = 0;                                            \
  if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                                              \
    va_start(arguments, last);                                      \
    mode = va_arg(arguments, unsigned int);                         \
    va_end(arguments);                                              \
  }

NVMLKIT_REPLACED int open(const char* path, int flags, ...) {
  NVMLKIT_MODE_AFTER(flags)
  return open_shown(AT_FDCWD, path, flags, mode);
}
NVMLKIT_REPLACED int open64(const char* path, int flags, ...) {
  NVMLKIT_MODE_AFTER(flags)
  return open_shown(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
NVMLKIT_REPLACED int openat(int folder, const char* path, int flags, ...) {
  NVMLKIT_MODE_AFTER(flags)
  return open_shown(folder, path, flags, mode);
}
NVMLKIT_REPLACED int openat64(int folder, const char* path, int flags, ...) {
  NVMLKIT_MODE_AFTER(flags)
  return open_shown(folder, path, flags | O_LARGEFILE, mode);
}

// What a program built with _FORTIFY_SOURCE calls.
NVMLKIT_REPLACED int __open_2(const char* path, int flags) { return open_shown(AT_FDCWD, path, flags, 0); }
NVMLKIT_REPLACED int __open64_2(const char* path, int flags) {
  return open_shown(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}
NVMLKIT_REPLACED int __openat_2(int folder, const char* path, int flags) { return open_shown(folder, path, flags, 0); }
NVMLKIT_REPLACED int __openat64_2(int folder, const char* path, int flags) {
  return open_shown(folder, path, flags | O_LARGEFILE, 0);
}

NVMLKIT_REPLACED FILE* fopen(const char* path, const char* mode) { return next_fopen(Shown(path).path(), mode); }
NVMLKIT_REPLACED FILE* fopen64(const char* path, const char* mode) { return next_fopen(Shown(path).path(), mode); }
NVMLKIT_REPLACED FILE* freopen(const char* path, const char* mode, FILE* file) {
  return next_freopen(Shown(path).path(), mode, file);
}
NVMLKIT_REPLACED FILE* freopen64(const char* path, const char* mode, FILE* file) {
  return next_freopen(Shown(path).path(), mode, file);
}

}  // namespace nvmlkit::preload
