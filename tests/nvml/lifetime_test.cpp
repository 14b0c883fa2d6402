// Opening and closing again and again: nothing stays behind, and a library goes when its last object does.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "../emulator.hpp"
#include "any_library.hpp"

namespace nvmlkit::nvml {
namespace {

using test::open_library;

class Lifetime : public testing::Test {
 protected:
  void SetUp() override { ::setenv("NVMLKIT_MACHINE", "t4", 1); }
};

struct Counts {
  long resident_kib;
  std::ptrdiff_t descriptors;
};

Counts counts() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  const auto open = std::filesystem::directory_iterator("/proc/self/fd");
  return {resident * (::sysconf(_SC_PAGESIZE) / 1024), std::distance(begin(open), end(open))};
}

// `keep_open` as users have it by default, and with a real unload each time.
void open_and_close(bool keep_open, int rounds) {
  Counts settled{};
  for (int round = 0; round < rounds; ++round) {
#ifdef NVMLKIT_TEST_LIBRARY
    Result<Library> library = Library::open({.load = {.path = NVMLKIT_TEST_LIBRARY, .keep_open = keep_open}});
#else
    static_cast<void>(keep_open);
    Result<Library> library = open_library();
#endif
    ASSERT_TRUE(library) << library.error().message();
    ASSERT_TRUE(library->device(0));
    if (round % 2) {
      ASSERT_TRUE(library->close());
    }
    if (round == rounds / 10) settled = counts();
  }
  const Counts now = counts();
  EXPECT_EQ(now.descriptors, settled.descriptors);
  if (!NVMLKIT_TEST_SANITIZED && !under_qemu()) {  // tables of qemu are memory of the process
    EXPECT_LT(now.resident_kib - settled.resident_kib, 1024);
  }
}

constexpr int kRounds = NVMLKIT_TEST_SANITIZED ? 1000 : 10000;

TEST_F(Lifetime, OpensAndClosesTenThousandTimes) { open_and_close(true, kRounds); }

TEST_F(Lifetime, LoadsAndUnloadsTenThousandTimes) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer keeps every library that was ever loaded";
#endif
  open_and_close(false, kRounds);
}

#ifdef NVMLKIT_TEST_LIBRARY
// The last object of an unloading library may end in any thread, and its code goes only then.
TEST_F(Lifetime, UnloadsWhenTheLastObjectEnds) {
  const auto loaded = [] {
    void* const handle = ::dlopen(NVMLKIT_TEST_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) ::dlclose(handle);
    return handle != nullptr;
  };
  if (loaded()) GTEST_SKIP() << "another test of this process keeps the library loaded";
  auto library =
      std::make_unique<Library>(Library::open({.load = {.path = NVMLKIT_TEST_LIBRARY, .keep_open = false}}).value());
  auto device = std::make_unique<Device>(library->device(0).value());
  library.reset();
  EXPECT_TRUE(loaded());
  EXPECT_TRUE(device->index());
  std::thread([&] { device.reset(); }).join();
  EXPECT_FALSE(loaded());
}
#endif

}  // namespace
}  // namespace nvmlkit::nvml
