#include "sim/processes/life.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "sim/processes/scheduling.hpp"

namespace nvmlkit::sim::processes {
namespace {

// What fits of a file under /proc/PID. Nothing when it cannot be read.
std::optional<std::string_view> read_about(std::uint32_t pid, const char* file, std::span<char> buffer) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/%s", pid, file);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const auto size = read(fd, buffer.data(), buffer.size());
  close(fd);
  if (size < 0) return {};
  return std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

struct Stat {
  char state;
  std::uint64_t start;
};

// "PID (NAME) STATE ...", where the name may hold anything; the start is the 20th field behind the state's.
std::optional<Stat> stat_of(std::uint32_t pid) {
  char buffer[1024];
  const auto text = read_about(pid, "stat", buffer);
  const auto name_end = text ? text->rfind(')') : std::string_view::npos;
  if (name_end == std::string_view::npos || name_end + 2 >= text->size()) return {};
  auto rest = text->substr(name_end + 2);
  Stat out{rest.front(), 0};
  for (int field = 0; field < 19; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return {};
    rest.remove_prefix(space + 1);
  }
  std::from_chars(rest.data(), rest.data() + rest.size(), out.start);
  return out;
}

}  // namespace

std::optional<std::uint64_t> running_since(std::uint32_t pid) {
  if (is_gone(pid)) return {};
  const auto stat = stat_of(pid);
  if (!stat) return is_gone(pid) ? std::nullopt : std::optional<std::uint64_t>(0);  // /proc may hide it
  const bool ended = stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
  return ended ? std::nullopt : std::optional(stat->start);
}

bool is_gone(std::uint32_t pid) {
  return pid == 0 || pid > INT32_MAX || (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH);
}

bool wants_to_run(std::uint32_t thread) {
  const auto stat = stat_of(thread);
  return stat && (stat->state == 'R' || stat->state == 'D');
}

std::uint64_t own_pid_namespace() {
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 0;
}

std::string_view name_of(std::uint32_t pid, std::span<char> buffer) {
  const auto command = read_about(pid, "cmdline", buffer);
  if (command && !command->empty()) return command->substr(0, command->find('\0'));
  const auto name = read_about(pid, "comm", buffer);
  return name ? name->substr(0, name->find('\n')) : std::string_view();
}

}  // namespace nvmlkit::sim::processes
