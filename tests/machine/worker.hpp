// A process that shares a machine and does what it is told, one command after the other.
#pragma once

#include <sys/types.h>

#include <string>

#include "command.hpp"

namespace nvmlkit::machine_test {

class Worker {
 public:
  // Starts the process. It loads the driver library and attaches to the state file itself.
  explicit Worker(const std::string& state);
  ~Worker();
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;  // kills the process that was there
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Waits for the answer. An answer whose result is `gone` means that the process has ended.
  static constexpr std::int64_t kGone = -1000;
  Answer tell(const Command& command) const;

 private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace nvmlkit::machine_test
