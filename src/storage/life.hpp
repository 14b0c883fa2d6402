// Signs of life of the processes that share a file: locks on its bytes. The system releases a lock when its process
// ends, for any reason. Every process that may open the file sees the lock, in any PID namespace.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace nvmlkit::storage {

class LifeSigns {
 public:
  // The open file, and the path by which it is opened again.
  LifeSigns(const std::string& path, int file);
  ~LifeSigns();
  LifeSigns(const LifeSigns&) = delete;
  LifeSigns& operator=(const LifeSigns&) = delete;

  // Locks the byte until release() or the end of this process. A child that was forked keeps it until the child ends or
  // executes a program. False where the file cannot be opened for writing again or the file system has no such locks.
  bool give(std::uint64_t byte);
  void release(std::uint64_t byte);

  // Has a process given a sign at the byte? Nothing where the file cannot be opened again.
  std::optional<bool> is_given(std::uint64_t byte) const;

 private:
  bool is_same(int file) const;
  int reopen(int flags) const;

  std::string path_;
  dev_t device_ = 0;
  ino_t number_ = 0;
  int held_ = -1;     // keeps the locks
  pid_t holder_ = 0;  // the process that opened it
};

}  // namespace nvmlkit::storage
