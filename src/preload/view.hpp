// The view: a folder with dev/, proc/ and sys/, in which files of a machine lie beside links to those of the host.
#pragma once

#include <fcntl.h>

#include <climits>
#include <cstddef>

namespace nvmlkit::preload {

// The path at which a call has to look. Keeps errno; allocates nothing and calls no function that is replaced.
class Shown {
 public:
  explicit Shown(const char* path, bool follow = true) : Shown(AT_FDCWD, path, follow) {}
  // `path` is below the open folder, unless it is absolute. Without `follow`, the call is about a link itself.
  Shown(int folder, const char* path, bool follow = true);
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  int folder() const { return changed_ ? AT_FDCWD : folder_; }
  const char* path() const { return changed_ ? buffer_ : path_; }

 private:
  void show(const char* base, const char* path);
  void look_behind(int folder, const char* path);

  int folder_;
  const char* path_;
  bool changed_ = false;
  char buffer_[PATH_MAX];
};

// Makes a path in the view one of the host, in place; returns its new size. Others stay.
std::size_t hide_view(char* path, std::size_t size);

// Is `name` of the open folder a link that stands for a file of the host?
bool is_stand_in(int folder, const char* name);

}  // namespace nvmlkit::preload
