#include "storage/life.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace nvmlkit::storage {
namespace {

// A lock of an open file, not of a process: that one would go when the process closes any other descriptor of the file.
struct flock lock_of(short type, std::uint64_t byte) {
  struct flock out {};
  out.l_type = type;
  out.l_whence = SEEK_SET;
  out.l_start = static_cast<off_t>(byte);
  out.l_len = 1;
  return out;
}

}  // namespace

LifeSigns::LifeSigns(const std::string& path, int file) {
  // The program may go to another folder.
  const std::unique_ptr<char, decltype(&std::free)> whole(realpath(path.c_str(), nullptr), &std::free);
  path_ = whole ? whole.get() : path;
  struct stat about {};
  if (fstat(file, &about) != 0) return;
  device_ = about.st_dev;
  number_ = about.st_ino;
}

LifeSigns::~LifeSigns() {
  if (held_ >= 0 && holder_ == getpid() && is_same(held_)) close(held_);
}

// A program may have closed all its files, and the number may be another file's now.
bool LifeSigns::is_same(int file) const {
  struct stat about {};
  return fstat(file, &about) == 0 && about.st_dev == device_ && about.st_ino == number_;
}

int LifeSigns::reopen(int flags) const {
  const int file = open(path_.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0 || is_same(file)) return file;
  close(file);
  return -1;
}

bool LifeSigns::give(std::uint64_t byte) {
  if (held_ >= 0 && (holder_ != getpid() || !is_same(held_))) {
    // Of the parent: the locks of its file are not this process's.
    if (is_same(held_)) close(held_);
    held_ = -1;
  }
  if (held_ < 0) held_ = reopen(O_RDWR);
  holder_ = getpid();
  auto lock = lock_of(F_WRLCK, byte);
  return held_ >= 0 && fcntl(held_, F_OFD_SETLK, &lock) == 0;
}

void LifeSigns::release(std::uint64_t byte) {
  if (held_ < 0 || holder_ != getpid() || !is_same(held_)) return;
  auto lock = lock_of(F_UNLCK, byte);
  fcntl(held_, F_OFD_SETLK, &lock);
}

std::optional<bool> LifeSigns::is_given(std::uint64_t byte) const {
  // A file of its own: locks of the same one would not count.
  const int file = reopen(O_RDONLY);
  if (file < 0) return {};
  auto lock = lock_of(F_WRLCK, byte);
  const bool known = fcntl(file, F_OFD_GETLK, &lock) == 0;
  close(file);
  return known ? std::optional(lock.l_type != F_UNLCK) : std::nullopt;
}

}  // namespace nvmlkit::storage
