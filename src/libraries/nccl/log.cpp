#include "libraries/nccl/log.hpp"

#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::log {
namespace {

struct State {
  std::mutex mutex;
  bool is_read = false, has_version = false;
  Level level = Level::none;
  std::FILE* out = stdout;
  std::string last_error;
};
State& state() {
  static NeverDestroyed<State> the;
  return *the;
}

Level level_of(const char* word) {
  if (!word) return Level::none;
  constexpr struct {
    const char* name;
    Level level;
  } kNames[] = {{"VERSION", Level::version},
                {"WARN", Level::warn},
                {"INFO", Level::info},
                {"ABORT", Level::info},
                {"TRACE", Level::trace}};
  for (const auto& known : kNames)
    if (strcasecmp(word, known.name) == 0) return known.level;
  return Level::none;
}

// %h is the host, %p the process.
std::string path_of(const char* pattern) {
  std::string out;
  for (const char* c = pattern; *c; ++c) {
    if (*c != '%' || !c[1]) {
      out += *c;
      continue;
    }
    ++c;
    if (*c == 'h')
      out += host_name();
    else if (*c == 'p')
      out += std::to_string(getpid());
    else
      out += *c;
  }
  return out;
}

void read_environment(State& s) {
  s.is_read = true;
  s.level = level_of(std::getenv("NCCL_DEBUG"));
  s.out = stdout;
  const char* const file = std::getenv("NCCL_DEBUG_FILE");
  if (!file || !*file || s.level <= Level::version) return;
  if (std::FILE* const opened = std::fopen(path_of(file).c_str(), "we")) {
    setlinebuf(opened);
    s.out = opened;
  }
}

std::string formatted(const char* format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

std::string head(int device) {
  char text[128];
  std::snprintf(text, sizeof text, "%s:%d:%ld [%d] ", host_name().c_str(), getpid(), syscall(SYS_gettid), device);
  return text;
}

void print(std::FILE* out, const std::string& line) {
  std::fputs(line.c_str(), out);
  std::fflush(out);
}

}  // namespace

std::string host_name() {
  char name[256] = "localhost";
  gethostname(name, sizeof name - 1);
  name[std::strcspn(name, ".")] = '\0';
  return name;
}

Level level() {
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.is_read) read_environment(s);
  return s.level;
}

void reset() {
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  s.is_read = false;
}

void info(int device, const char* format, ...) {
  if (level() < Level::info) return;
  va_list arguments;
  va_start(arguments, format);
  const auto line = head(device) + "NCCL INFO " + formatted(format, arguments) + "\n";
  va_end(arguments);
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  print(s.out, line);
}

void warn(int device, const char* format, ...) {
  const bool is_shown = level() >= Level::warn;
  va_list arguments;
  va_start(arguments, format);
  const auto text = formatted(format, arguments);
  va_end(arguments);
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  s.last_error = text;
  if (is_shown) print(s.out, std::string("\n").append(head(device)).append("NCCL WARN ").append(text).append("\n"));
}

void complain(int device, const std::string& text) {
  warn(device, "%s", text.c_str());
  if (level() < Level::warn) print(stderr, std::string("nvmlkit: NCCL: ").append(text).append("\n"));
}

void version() {
  if (level() < Level::version) return;
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.has_version) return;
  s.has_version = true;
  print(s.out, std::string("NCCL version ") + kVersionText + "\n");
}

std::string last_error() {
  auto& s = state();
  const std::lock_guard lock(s.mutex);
  return s.last_error;
}

}  // namespace nvmlkit::nccl::log
