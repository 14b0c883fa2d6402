// short_memory LIBRARY: starts the driver library with the first, second, third, ... allocation refused, one run each
// with all the later ones refused too. Every start ends with success or an error code, and the next one works.
// malloc() is this program's own, so that the C++ runtime inside the library meets it as well.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {

std::atomic<long> granted{-1};  // allocations before memory ends; -1: it never does
bool once = false;              // only one allocation is refused
std::atomic<long> refused{0};

bool refuse() {
  long left = granted.load();
  if (left < 0) return false;
  if (left > 0) return granted.store(left - 1), false;
  if (once) granted.store(-1);
  ++refused;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return refuse() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return refuse() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* block, std::size_t size) { return refuse() ? nullptr : __libc_realloc(block, size); }
}

int main(int, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto shutdown = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
  const auto version = reinterpret_cast<int (*)(char*, unsigned int)>(dlsym(library, "nvmlSystemGetNVMLVersion"));
  setenv("NVMLKIT_MACHINE", "h100", 1);
  if (!std::freopen("/dev/null", "w", stderr)) return 1;
  char text[96];
  if (init() != 0 || shutdown() != 0) return std::puts("cannot start at all"), 1;
  long failures = 0, starts = 0;
  // By a variable, and by the search that goes before the default machine.
  for (const auto& [one, named] : {std::pair(true, true), {true, false}, {false, true}, {false, false}})
    for (long n = 0;; ++n) {
      // Another machine than that of the start before, which the library would keep.
      setenv("NVMLKIT_MACHINE", n % 2 == 0 ? "h200" : "h100", 1);
      setenv("NVMLKIT_GPU_COUNT", n % 2 == 0 ? "1" : "2", 1);
      if (!named) unsetenv("NVMLKIT_MACHINE");
      once = one;
      refused = 0;
      granted = n;
      const int result = init();
      granted = n;
      const int before_init = result == 0 ? 0 : version(text, sizeof text);
      granted = -1;
      ++starts;
      failures += result != 0;
      if (before_init != 0 && before_init != 999) return std::printf("version answers %d\n", before_init), 1;
      if (result != 0 && result != 999) return std::printf("init answers %d at allocation %ld\n", result, n), 1;
      if (result == 0 && shutdown() != 0) return std::printf("no shutdown after allocation %ld\n", n), 1;
      if (init() != 0 || shutdown() != 0) return std::printf("broken after allocation %ld\n", n), 1;
      if (refused == 0) break;  // the whole start went through: every allocation had its turn
    }
  std::printf("%ld starts, %ld refused\n", starts, failures);
  return failures > 0 ? 0 : 1;
}
