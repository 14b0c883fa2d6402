#include "sim/processes/life.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "storage/process.hpp"

namespace nvmlkit::sim::processes {

std::optional<std::uint64_t> running_since(std::uint32_t pid) {
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
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 0;
}

std::string_view name_of(std::uint32_t pid, std::span<char> buffer) {
  const auto command = storage::read_about(pid, "cmdline", buffer);
  if (command && !command->empty()) return command->substr(0, command->find('\0'));
  const auto name = storage::read_about(pid, "comm", buffer);
  return name ? name->substr(0, name->find('\n')) : std::string_view();
}

}  // namespace nvmlkit::sim::processes
