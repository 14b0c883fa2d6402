#include "storage/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

namespace nvmlkit::storage {

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

// "PID (NAME) STATE ...", where the name may hold anything; the start is the 20th field behind the state's.
std::optional<ProcessStat> stat_of(std::uint32_t pid) {
  char buffer[1024];
  const auto text = read_about(pid, "stat", buffer);
  const auto name_end = text ? text->rfind(')') : std::string_view::npos;
  if (name_end == std::string_view::npos || name_end + 2 >= text->size()) return {};
  auto rest = text->substr(name_end + 2);
  ProcessStat out{rest.front(), 0};
  for (int field = 0; field < 19; ++field) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return {};
    rest.remove_prefix(space + 1);
  }
  std::from_chars(rest.data(), rest.data() + rest.size(), out.start);
  return out;
}

bool wants_to_run(std::uint32_t thread) {
  const auto stat = stat_of(thread);
  return stat && (stat->state == 'R' || stat->state == 'D');
}

}  // namespace nvmlkit::storage
