// The NVLinks of both ends count what a call moves between GPUs.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../../taken.hpp"
#include "library.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/config/load.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::library_test {
namespace {

// The state of a machine without other traffic, which the libraries of this process share.
class StateFile {
 public:
  StateFile() {
    const auto config = path_.string() + ".yaml";
    std::ofstream(config) << "base: h100\nnvlink: {defaults: {duty_cycle: 0}}\n";
    std::string error;
    const auto machine = sim::taken(sim::load_machine({{"NVMLKIT_MACHINE", config}}), error);
    EXPECT_TRUE(machine && sim::taken(sim::state::save(*machine, path_.string(), config), error)) << error;
    std::filesystem::remove(config);
    setenv("NVMLKIT_STATE", path_.c_str(), 1);
  }
  ~StateFile() { std::filesystem::remove(path_); }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("nvmlkit-traffic-" + std::to_string(getpid()));
};

struct Counts {
  std::uint64_t sent, received;  // in KiB
};
Counts counts_of(unsigned gpu) {
  static const Loaded nvml("libnvidia-ml.so.1");
  EXPECT_EQ(nvml.find<int (*)()>("nvmlInit_v2")(), 0);
  void* device = nullptr;
  EXPECT_EQ((nvml.find<int (*)(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(gpu, &device)), 0);
  abi::nvmlFieldValue_t values[2]{};
  values[0].fieldId = abi::FI_DEV_NVLINK_THROUGHPUT_DATA_TX;
  values[1].fieldId = abi::FI_DEV_NVLINK_THROUGHPUT_DATA_RX;
  for (auto& value : values) value.scopeId = ~0u;
  EXPECT_EQ((nvml.find<int (*)(void*, int, abi::nvmlFieldValue_t*)>("nvmlDeviceGetFieldValues")(device, 2, values)), 0);
  return {values[0].value.ullVal, values[1].value.ullVal};
}

TEST(TrafficOfSeveral, CountsOnBothEnds) {
  const StateFile state;
  const Several on({0, 1});
  constexpr int kSize = 512;
  Spread<double> factor(on, identity(kSize, kSize), 64);
  Workspaces<double> work(on, 32 * kSize);
  const auto first = counts_of(0), second = counts_of(1);
  int info = -77;
  ASSERT_EQ(library().cusolverMgPotrf(on.handle, CUBLAS_FILL_MODE_LOWER, kSize, factor.data(), 1, 1, factor.description,
                                      CUDA_R_64F, work.data(), work.size, &info),
            CUSOLVER_STATUS_SUCCESS);
  // Half of the columns go to the first GPU, and back.
  constexpr std::uint64_t kHalf = kSize * kSize * sizeof(double) / 2 / 1024;
  EXPECT_EQ(counts_of(1).sent - second.sent, kHalf);
  EXPECT_EQ(counts_of(1).received - second.received, kHalf);
  EXPECT_EQ(counts_of(0).sent - first.sent, kHalf);
  EXPECT_EQ(counts_of(0).received - first.received, kHalf);
}

}  // namespace
}  // namespace nvmlkit::library_test
