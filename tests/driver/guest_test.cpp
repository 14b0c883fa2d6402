// The driver library is a guest: what it must leave alone in the process that loads it.
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include "../emulator.hpp"
#include "loaded.hpp"

extern char** environ;

namespace nvmlkit::driver_test {
namespace {

class Guest : public Loaded {};

std::size_t entries_of(const char* directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  return variables;
}

mode_t current_umask() {
  const mode_t mask = umask(022);
  umask(mask);
  return mask;
}

std::vector<std::array<void*, 2>> signal_handlers() {
  std::vector<std::array<void*, 2>> handlers;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0)
      handlers.push_back(
          {reinterpret_cast<void*>(action.sa_handler), reinterpret_cast<void*>(std::uintptr_t(action.sa_flags))});
  }
  return handlers;
}

// What the process is, as far as a library could change it.
struct Habits {
  std::size_t threads = entries_of("/proc/self/task");
  std::size_t descriptors = entries_of("/proc/self/fd");
  std::vector<std::string> variables = environment();
  mode_t mask = current_umask();
  std::string directory = std::filesystem::current_path();
  std::string locale = setlocale(LC_ALL, nullptr);
  std::vector<std::array<void*, 2>> handlers = signal_handlers();

  bool operator==(const Habits&) const = default;
};

void exercise(void* library) {
  const auto function = [&]<class... Arguments>(const char* name, Arguments... arguments) {
    return reinterpret_cast<nvmlReturn_t (*)(Arguments...)>(dlsym(library, name))(arguments...);
  };
  ASSERT_EQ(function("nvmlInit_v2"), NVML_SUCCESS);
  nvmlDevice_t device = nullptr;
  ASSERT_EQ(function("nvmlDeviceGetHandleByIndex_v2", 0U, &device), NVML_SUCCESS);
  char name[96];
  EXPECT_EQ(function("nvmlDeviceGetName", device, name, 96U), NVML_SUCCESS);
  unsigned int milliwatts = 0;
  EXPECT_EQ(function("nvmlDeviceGetPowerUsage", device, &milliwatts), NVML_SUCCESS);
  EXPECT_EQ(function("nvmlShutdown"), NVML_SUCCESS);
}

TEST_F(Guest, LeavesTheProcessAsItWas) {
  setenv("NVMLKIT_MACHINE", "h100", 1);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Habits before;
  void* const library = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  exercise(library);
  const Habits while_loaded;
  dlclose(library);
  const Habits after;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_TRUE(before == while_loaded);
  EXPECT_TRUE(before == after);
}

// Kilobytes of memory that the process holds now.
long resident_kib() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// In a child, so that no other test keeps the library loaded: 0 when `work` says true.
int in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

bool is_loaded() {
  void* const handle = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

TEST_F(Guest, LoadsAndUnloadsAThousandTimesWithoutALeak) {
  NVMLKIT_NEEDS_OWN_MEMORY();
  setenv("NVMLKIT_MACHINE", "h100", 1);
  EXPECT_EQ(in_child([] {
              if (is_loaded()) return true;  // another test of this process holds it; ctest runs each alone
              long settled = 0;
              for (int round = 0; round < 1000; ++round) {
                void* const library = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
                if (!library) return false;
                exercise(library);
                dlclose(library);
                if (is_loaded()) return std::fprintf(stderr, "dlclose did not unload\n"), false;
                if (round == 100) settled = resident_kib();
              }
              const long grown = resident_kib() - settled;
              if (grown > 512) std::fprintf(stderr, "900 rounds kept %ld KiB\n", grown);
              return NVMLKIT_TEST_SANITIZED || grown <= 512;
            }),
            0);
}

TEST_F(Guest, ForksWellAfterItWasUnloaded) {
  EXPECT_EQ(in_child([] {
              void* const library = dlopen(NVMLKIT_TEST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
              if (!library) return false;
              exercise(library);
              dlclose(library);
              return in_child([] { return true; }) == 0;  // a fork handler in unloaded code would crash here
            }),
            0);
}

TEST_F(Guest, RefusesAMachineThatIsNoFileAtOnce) {
  const std::string directory = testing::TempDir() + "/guest_" + std::to_string(getpid());
  std::filesystem::remove_all(directory);  // what a killed run of the same number left
  std::filesystem::create_directories(directory);
  const std::string pipe = directory + "/pipe.yaml";
  const std::string huge = directory + "/huge.yaml";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(huge) << "version: \"1.0\"\n";
  std::filesystem::resize_file(huge, 100U << 20);
  std::vector<std::pair<std::string, std::string>> cases = {
      {pipe, "expected a file, got a pipe"},
      {directory + "/", "expected a file, got a directory"},
      {huge, "expected at most 16 MiB"},
      {directory + "/none.yaml", "cannot be read: No such file or directory"},
  };
  // A sandbox may put something else in the place of a device.
  for (const char* device : {"/dev/zero", "/dev/null"})
    if (std::filesystem::is_character_file(device)) cases.emplace_back(device, "expected a file, got a device");
  ASSERT_NE(library(), nullptr);  // so that its own pages do not count
  const long before = resident_kib();
  const std::size_t descriptors = entries_of("/proc/self/fd");
  const auto start = std::chrono::steady_clock::now();
  for (const auto& [path, reason] : cases) {
    setenv("NVMLKIT_MACHINE", path.c_str(), 1);
    testing::internal::CaptureStderr();
    EXPECT_EQ(call("nvmlInit_v2"), NVML_ERROR_UNKNOWN) << path;
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "nvmlkit: " + path + ": " + reason + "\n");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  // A sanitizer's shadow and quarantine would be counted with it.
  if (!NVMLKIT_TEST_SANITIZED) {
    EXPECT_LT(resident_kib() - before, 8 * 1024);
  }
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  std::filesystem::remove_all(directory);
}

// The address space ends a little above what the process has: an error or a start, never an abort.
TEST_F(Guest, ALimitedAddressSpaceIsAnError) {
  if (NVMLKIT_TEST_SANITIZED) GTEST_SKIP() << "a sanitizer needs its own address space";
  if (under_qemu()) GTEST_SKIP() << "qemu-user keeps no limits of the address space";
  setenv("NVMLKIT_MACHINE", "h100", 1);
  setenv("NVMLKIT_GPU_COUNT", "1024", 1);
  ASSERT_NE(library(), nullptr);
  int refused = 0;
  for (const long spare_kib : {0L, 16L, 64L, 256L, 1024L, 4096L}) {
    const int status = in_child([&] {
      if (!freopen("/dev/null", "w", stderr)) return false;
      long pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const auto limit = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + spare_kib * 1024);
      const rlimit short_of_memory{limit, RLIM_INFINITY};
      if (setrlimit(RLIMIT_AS, &short_of_memory) != 0) return false;
      const auto result = call("nvmlInit_v2");
      const rlimit plenty{RLIM_INFINITY, RLIM_INFINITY};
      setrlimit(RLIMIT_AS, &plenty);
      if (result != NVML_SUCCESS && call("nvmlInit_v2") != NVML_SUCCESS) _exit(2);  // not usable afterwards
      _exit(result == NVML_SUCCESS ? 0 : 3);
      return true;
    });
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << " with " << spare_kib << " KiB";
    EXPECT_NE(WEXITSTATUS(status), 1);
    EXPECT_NE(WEXITSTATUS(status), 2);
    refused += WEXITSTATUS(status) == 3;
  }
  EXPECT_GT(refused, 0) << "memory was never short: the test proves nothing";
}

}  // namespace
}  // namespace nvmlkit::driver_test
