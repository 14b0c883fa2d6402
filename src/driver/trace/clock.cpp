// libnvmlkit-clock.so: gives a program the time of the recording that it is answered from. A guest in every program: it
// needs the C library alone, and exports only the functions that it replaces.
#include "driver/trace/clock.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#define NVMLKIT_EXPORT __attribute__((visibility("default")))

namespace {

constexpr std::int64_t kSecond = 1000000000;

nvmlkit::trace::ClockWord* g_word = nullptr;

[[gnu::constructor]] void map_word() {
  const char* path = secure_getenv("NVMLKIT_TRACE_CLOCK");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* map = mmap(nullptr, sizeof *g_word, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (map != MAP_FAILED) g_word = static_cast<nvmlkit::trace::ClockWord*>(map);
}

// Past the C library, whose function this file replaces.
int kernel_time(clockid_t clock, timespec* out) { return static_cast<int>(syscall(SYS_clock_gettime, clock, out)); }

void shift(timespec& time) {
  const std::int64_t by = g_word ? g_word->load(std::memory_order_relaxed) : 0;
  const std::int64_t ns = time.tv_sec * kSecond + time.tv_nsec + by;
  time.tv_sec = static_cast<time_t>(ns / kSecond);
  time.tv_nsec = static_cast<long>(ns % kSecond);
}

timespec recorded_time() {
  timespec out{};
  kernel_time(CLOCK_REALTIME, &out);
  shift(out);
  return out;
}

}  // namespace

extern "C" {

NVMLKIT_EXPORT int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const int result = kernel_time(clock, out);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) shift(*out);
  return result;
}

NVMLKIT_EXPORT time_t time(time_t* out) noexcept {
  const time_t now = recorded_time().tv_sec;
  if (out) *out = now;
  return now;
}

NVMLKIT_EXPORT int gettimeofday(timeval* out, void* zone) noexcept {
  if (zone) *static_cast<struct timezone*>(zone) = {0, 0};
  const timespec now = recorded_time();
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}
}
