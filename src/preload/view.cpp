#include "preload/view.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "preload/names.hpp"

namespace nvmlkit::preload {
namespace {

constexpr std::size_t kHostSize = sizeof kHost - 1;

class KeptErrno {
 public:
  ~KeptErrno() { errno = before_; }

 private:
  int before_ = errno;
};

struct Root {
  char path[PATH_MAX];
  std::size_t size;  // 0: no view
};

// Other libraries may call before any constructor of this one. A program that changes its environment keeps its view;
// two threads that come first write the same.
const Root& root() {
  static Root root;
  static std::atomic<bool> ready{false};
  if (!ready.load(std::memory_order_acquire)) {
    const char* const value = std::getenv(kVariable);
    const std::size_t size = value != nullptr && value[0] == '/' ? std::strlen(value) : 0;
    if (size < sizeof root.path) {
      if (size != 0) std::memcpy(root.path, value, size + 1);
      root.size = size;
    }
    ready.store(true, std::memory_order_release);
  }
  return root;
}

ssize_t read_link(int folder, const char* path, char* target, std::size_t size) {
  return syscall(SYS_readlinkat, folder, path, target, size);
}

bool is_file_of_host(const char* target, ssize_t size) {
  return size >= static_cast<ssize_t>(kHostSize) && std::memcmp(target, kHost, kHostSize) == 0;
}

// Is the path that, or below it?
bool is_below(const char* path, const char* folder, std::size_t size) {
  return std::strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

// Processes come and go in /proc, which no view can hold.
bool may_be_shown(const char* path) {
  return is_below(path, "/sys", 4) || is_below(path, "/dev", 4) || (is_below(path, "/proc", 5) && path[5] == '/');
}

const char* without_more_slashes(const char* path) {
  while (path[0] == '/' && (path[1] == '/' || (path[1] == '.' && path[2] == '/'))) path += path[1] == '/' ? 1 : 2;
  return path;
}

// The path of an open folder that is none of the view, and has entries in it.
const char* host_path(int folder) {
  struct stat about, own;
  if (syscall(SYS_fstat, folder, &about) != 0) return nullptr;
  for (const char* const path : {"/", "/proc"})
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &own, 0) == 0 && own.st_dev == about.st_dev &&
        own.st_ino == about.st_ino)
      return path;
  return nullptr;
}

// What stands before the path, if its folder is outside the view and may have entries in it.
const char* base_of(int folder, const char* path, char (&cwd)[PATH_MAX]) {
  if (path[0] == '/') return "";
  if (folder != AT_FDCWD) return host_path(folder);
  if (syscall(SYS_getcwd, cwd, sizeof cwd) <= 0) return nullptr;
  return std::strcmp(cwd, "/") == 0 || std::strcmp(cwd, "/proc") == 0 || may_be_shown(cwd) ? cwd : nullptr;
}

bool join(char (&out)[PATH_MAX], const char* a, std::size_t a_size, const char* b, std::size_t b_size) {
  if (a_size + b_size + 2 > sizeof out) return false;
  std::memmove(out, a, a_size);
  std::size_t at = a_size;
  if (b[0] != '/' && (at == 0 || out[at - 1] != '/')) out[at++] = '/';
  std::memcpy(out + at, b, b_size);
  out[at + b_size] = '\0';
  return true;
}

}  // namespace

Shown::Shown(int folder, const char* path, bool follow) : folder_(folder), path_(path) {
  if (root().size == 0 || path == nullptr || path[0] == '\0') return;
  const KeptErrno kept;
  char cwd[PATH_MAX];
  if (const char* const base = base_of(folder, path, cwd))
    show(base, path);
  else if (!follow)
    look_behind(folder, path);
}

void Shown::show(const char* base, const char* path) {
  char whole[PATH_MAX];
  if (!join(whole, base, std::strlen(base), path, std::strlen(path))) return;
  const char* const asked = without_more_slashes(whole);
  if (!may_be_shown(asked) || !join(buffer_, root().path, root().size, asked, std::strlen(asked))) return;
  char target[kHostSize];
  const auto size = read_link(AT_FDCWD, buffer_, target, sizeof target);
  changed_ = size >= 0 ? !is_file_of_host(target, size) : errno == EINVAL;
}

void Shown::look_behind(int folder, const char* path) {
  const auto size = read_link(folder, path, buffer_, sizeof buffer_ - 1);
  if (!is_file_of_host(buffer_, size)) return;
  buffer_[size] = '\0';
  changed_ = true;
}

std::size_t hide_view(char* path, std::size_t size) {
  const auto& view = root();
  if (view.size == 0 || size < view.size || std::memcmp(path, view.path, view.size) != 0) return size;
  if (size == view.size) {
    path[0] = '/';
    return 1;
  }
  if (path[view.size] != '/') return size;
  std::memmove(path, path + view.size, size - view.size);
  return size - view.size;
}

bool is_stand_in(int folder, const char* name) {
  if (root().size == 0) return false;
  const KeptErrno kept;
  char target[kHostSize];
  return is_file_of_host(target, read_link(folder, name, target, sizeof target));
}

}  // namespace nvmlkit::preload
