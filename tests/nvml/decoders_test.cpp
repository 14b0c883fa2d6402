// The decoders against a driver that answers anything at all, from fixed seeds. The sanitizers watch.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "garbage_driver.hpp"

namespace nvmlkit::nvml {
namespace {

std::vector<std::uint8_t> noise(unsigned int seed, std::size_t size) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> stream(size);
  std::generate(stream.begin(), stream.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return stream;
}

TEST(Decoders, SurviveAnyAnswer) {
  std::set<std::uint64_t> outcomes;
  for (unsigned int seed = 0; seed < 300; ++seed) {
    const auto stream = noise(seed, 200 + seed * 40);
    outcomes.insert(test::read_everything(stream));
  }
  // The answers do depend on what the driver said.
  EXPECT_GT(outcomes.size(), 290u);
}

TEST(Decoders, AnswerTheSameToTheSameDriver) {
  const auto stream = noise(42, 20'000);
  EXPECT_EQ(test::read_everything(stream), test::read_everything(stream));
}

TEST(Decoders, SurviveADriverThatSaysNothing) { test::read_everything({}); }

// Whatever the numbers of a process list, both strides read the same entries.
TEST(Decoders, ProcessesOfAnyStrideAreTheSame) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    static std::vector<abi::nvmlProcessInfo_v2_t> truth;
    static std::size_t stride;
    truth.assign(random() % 50, {});
    for (auto& process : truth) process = {static_cast<unsigned>(random()), random() * 4096ULL, ~0U, ~0U};
    std::vector<unsigned> seen[2];
    for (int i = 0; i < 2; ++i) {
      stride = i ? 32 : 24;
      Table table = test::fake_table();
      table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* n,
                                                     abi::nvmlProcessInfo_t* array) {
        const bool fits = array && *n >= truth.size();
        *n = static_cast<unsigned int>(truth.size());
        if (!fits) return truth.empty() ? abi::NVML_SUCCESS : abi::NVML_ERROR_INSUFFICIENT_SIZE;
        for (std::size_t p = 0; p < truth.size(); ++p) {
          auto* at = reinterpret_cast<unsigned char*>(array) + p * stride;
          std::memset(at, 0, stride);
          std::memcpy(at, &truth[p], 24);
        }
        return abi::NVML_SUCCESS;
      };
      const auto list = Library::from_table(table).value().device(0).value().compute_running_processes().value();
      for (const auto& process : list) seen[i].push_back(process.pid);
    }
    ASSERT_EQ(seen[0], seen[1]) << round;
    ASSERT_EQ(seen[0].size(), truth.size());
  }
}

}  // namespace
}  // namespace nvmlkit::nvml
