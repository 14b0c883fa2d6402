#include "sim/processes/life.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "storage/process.hpp"

namespace nvmlkit::sim::processes {
namespace {

// Of this process, what never changes: it is asked for at each allocation of memory. A forked child asks anew.
class Own {
 public:
  template <class Ask>
  std::uint64_t get(std::uint32_t own_pid, Ask ask) {
    if (pid_.load(std::memory_order_acquire) == own_pid) return value_.load(std::memory_order_relaxed);
    const std::uint64_t value = ask();
    value_.store(value, std::memory_order_relaxed);
    pid_.store(own_pid, std::memory_order_release);
    return value;
  }

 private:
  std::atomic<std::uint32_t> pid_{0};
  std::atomic<std::uint64_t> value_{0};
};

std::uint32_t own_pid() { return static_cast<std::uint32_t>(getpid()); }

std::uint64_t start_of(std::uint32_t pid) {
  const auto stat = storage::stat_of(pid);
  return stat ? stat->start : 0;
}

}  // namespace

std::optional<std::uint64_t> running_since(std::uint32_t pid) {
  static constinit Own own;
  if (pid == own_pid()) return own.get(pid, [&] { return start_of(pid); });
  if (is_gone(pid)) return {};
  const auto stat = storage::stat_of(pid);
  if (!stat) return is_gone(pid) ? std::nullopt : std::optional<std::uint64_t>(0);  // /proc may hide it
  const bool ended = stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
  return ended ? std::nullopt : std::optional(stat->start);
}

bool is_gone(std::uint32_t pid) {
  return pid == 0 || pid > INT32_MAX || (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH);
}

std::uint64_t own_pid_namespace() {
  static constinit Own own;
  return own.get(own_pid(), [] {
    struct stat about {};
    return stat("/proc/self/ns/pid", &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 0;
  });
}

std::string_view name_of(std::uint32_t pid, std::span<char> buffer) {
  const auto command = storage::read_about(pid, "cmdline", buffer);
  if (command && !command->empty()) return command->substr(0, command->find('\0'));
  const auto name = storage::read_about(pid, "comm", buffer);
  return name ? name->substr(0, name->find('\n')) : std::string_view();
}

}  // namespace nvmlkit::sim::processes
