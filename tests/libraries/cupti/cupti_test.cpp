// What profilers call first, on both releases.
#include <cstdlib>
#include <string>

#include "generated/cupti_table.hpp"

namespace nvmlkit::library_test {
namespace {

using namespace cupti;

const Cupti& library(int cuda) {
  static const int set = setenv("NVMLKIT_MACHINE", "v100", 1);  // it has events and metrics
  EXPECT_EQ(set, 0);
  static const Cupti twelve("libcupti.so.12"), thirteen("libcupti.so.13");
  return cuda == 12 ? twelve : thirteen;
}

class Profilers : public testing::TestWithParam<int> {
 protected:
  const Cupti& lib_ = library(GetParam());
};

TEST_P(Profilers, VersionAndTime) {
  std::uint32_t version = 0;
  ASSERT_EQ(lib_.cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(version, GetParam() == 12 ? 22u : 130001u);
  std::uint64_t first = 0, second = 0;
  ASSERT_EQ(lib_.cuptiGetTimestamp(&first), CUPTI_SUCCESS);
  ASSERT_EQ(lib_.cuptiGetTimestamp(&second), CUPTI_SUCCESS);
  EXPECT_GT(first, 0u);
  EXPECT_GE(second, first);
  EXPECT_EQ(lib_.cuptiGetVersion(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_P(Profilers, NamesOfResults) {
  const char* name = nullptr;
  ASSERT_EQ(lib_.cuptiGetResultString(CUPTI_ERROR_NOT_SUPPORTED, &name), CUPTI_SUCCESS);
  EXPECT_STREQ(name, "CUPTI_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(lib_.cuptiGetResultString(static_cast<CUptiResult>(500), &name), CUPTI_ERROR_INVALID_PARAMETER);
}

// A profiler that goes on after what it cannot have sees no record, and no crash.
TEST_P(Profilers, NoRecords) {
  const auto requested = [](std::uint8_t**, std::size_t*, std::size_t*) {};
  const auto completed = [](void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {};
  EXPECT_EQ(lib_.cuptiActivityRegisterCallbacks(requested, completed), CUPTI_SUCCESS);
  EXPECT_EQ(lib_.cuptiActivityRegisterCallbacks(nullptr, completed), CUPTI_ERROR_INVALID_PARAMETER);
  testing::internal::CaptureStderr();
  EXPECT_EQ(lib_.find<CUptiResult (*)(int)>("cuptiActivityEnable")(3), CUPTI_ERROR_NOT_SUPPORTED);
  void* subscriber = nullptr;
  EXPECT_EQ(lib_.find<CUptiResult (*)(void**, void*, void*)>("cuptiSubscribe")(&subscriber, nullptr, nullptr),
            CUPTI_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "nvmlkit: cuptiActivityEnable is not simulated\nnvmlkit: cuptiSubscribe is not simulated\n");
  EXPECT_EQ(lib_.cuptiActivityFlushAll(1), CUPTI_SUCCESS);
  std::uint8_t buffer[8];
  Activity* record = nullptr;
  EXPECT_EQ(lib_.cuptiActivityGetNextRecord(buffer, 0, &record), CUPTI_ERROR_MAX_LIMIT_REACHED);
  std::size_t dropped = 77;
  EXPECT_EQ(lib_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
  EXPECT_EQ(dropped, 0u);
  int supported = 77;
  EXPECT_EQ(lib_.cuptiDeviceSupported(0, &supported), CUPTI_SUCCESS);
  EXPECT_EQ(supported, 0);
}

// What newer GPUs and zeros get is in zero_calls.txt.
TEST_P(Profilers, AllThatIsExportedCanBeCalled) {
  // Some functions take one byte of it, and allow 0.
  alignas(256) char any[256];
  void* const p = any + 8;
  for (const char* const name : kCuptiUnsupported) {
    const auto function = lib_.find<CUptiResult (*)(void*, void*, void*, void*)>(name);
    if (!function) continue;  // of the other release
    EXPECT_EQ(function(p, p, p, p), CUPTI_ERROR_NOT_SUPPORTED) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Releases, Profilers, testing::Values(12, 13));

}  // namespace
}  // namespace nvmlkit::library_test
