// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
#include "driver/cuda/visible_devices.hpp"

#include <gtest/gtest.h>

#include "sim/config/load.hpp"

namespace nvmlkit::cuda {
namespace {

using Indices = std::vector<std::size_t>;

class Visible : public testing::Test {
 protected:
  void SetUp() override {
    sim::ConfigError error;
    machine_ = sim::read_machine("machine", R"(version: "1.0"
base: h100
system: {num_devices: 4}
devices:
  - {index: 0, uuid: GPU-aaaa0000-0000-0000-0000-000000000000}
  - {index: 1, uuid: GPU-aaaa1111-0000-0000-0000-000000000000}
  - {index: 2, uuid: GPU-bbbb0000-0000-0000-0000-000000000000}
)",
                                 error);
    ASSERT_TRUE(machine_) << error.text();
  }

  Indices with(const std::string& list) const { return visible_gpus(*machine_, {{"CUDA_VISIBLE_DEVICES", list}}); }

  std::unique_ptr<sim::Machine> machine_;
};

TEST_F(Visible, AllWithoutAList) { EXPECT_EQ(visible_gpus(*machine_, {}), (Indices{0, 1, 2, 3})); }

TEST_F(Visible, NoneWithAnEmptyList) { EXPECT_EQ(with(""), Indices{}); }

TEST_F(Visible, NumbersChooseAndOrder) {
  EXPECT_EQ(with("2,0"), (Indices{2, 0}));
  EXPECT_EQ(with(" 3 , 1"), (Indices{3, 1}));
}

TEST_F(Visible, TheListEndsBeforeWhatIsNoGpu) {
  EXPECT_EQ(with("1,7,2"), Indices{1});
  EXPECT_EQ(with("1,-1,2"), Indices{1});
  EXPECT_EQ(with("-1"), Indices{});
  EXPECT_EQ(with("0,,1"), Indices{0});
  EXPECT_EQ(with("none"), Indices{});
  EXPECT_EQ(with("99999999999999999999"), Indices{});
}

TEST_F(Visible, TwiceIsNone) { EXPECT_EQ(with("0,1,0"), Indices{}); }

TEST_F(Visible, UuidsAndTheirBeginnings) {
  EXPECT_EQ(with("GPU-bbbb0000-0000-0000-0000-000000000000,GPU-aaaa1"), (Indices{2, 1}));
  EXPECT_EQ(with("GPU-aaaa"), Indices{});  // two begin so
  EXPECT_EQ(with("GPU-b,GPU-cccc,0"), Indices{2});
}

TEST(VisibleOrder, FastestFirstUnlessByPciAddress) {
  sim::ConfigError error;
  const auto machine = sim::read_machine("machine", R"(version: "1.0"
base: h100
system: {num_devices: 3}
devices:
  - {index: 1, num_gpu_cores: 20000}
)",
                                         error);
  ASSERT_TRUE(machine) << error.text();
  EXPECT_EQ(visible_gpus(*machine, {}), (Indices{1, 0, 2}));
  EXPECT_EQ(visible_gpus(*machine, {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}), (Indices{0, 1, 2}));
  EXPECT_EQ(visible_gpus(*machine, {{"CUDA_VISIBLE_DEVICES", "0"}}), Indices{1});
}

}  // namespace
}  // namespace nvmlkit::cuda
