// CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
#include "driver/cuda/device/visible_devices.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../taken.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::cuda {
namespace {

using Indices = std::vector<std::size_t>;

Indices visible_gpus(const sim::Machine& machine, const sim::Environment& environment) {
  Indices out;
  for (const auto& device : visible_devices(machine, environment)) out.push_back(device.gpu);
  return out;
}

class VisibleGpus : public testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    machine_ = sim::taken(sim::read_machine("machine", R"(version: "1.0"
base: h100
system: {num_devices: 4}
devices:
  - {index: 0, uuid: GPU-aaaa0000-0000-0000-0000-000000000000}
  - {index: 1, uuid: GPU-aaaa1111-0000-0000-0000-000000000000}
  - {index: 2, uuid: GPU-bbbb0000-0000-0000-0000-000000000000}
)"),
                          error);
    ASSERT_TRUE(machine_) << error;
  }

  Indices with(const std::string& list) const { return visible_gpus(*machine_, {{"CUDA_VISIBLE_DEVICES", list}}); }

  std::unique_ptr<sim::Machine> machine_;
};

TEST_F(VisibleGpus, AllWithoutAList) { EXPECT_EQ(visible_gpus(*machine_, {}), (Indices{0, 1, 2, 3})); }

TEST_F(VisibleGpus, NoneWithAnEmptyList) { EXPECT_EQ(with(""), Indices{}); }

TEST_F(VisibleGpus, NumbersChooseAndOrder) {
  EXPECT_EQ(with("2,0"), (Indices{2, 0}));
  EXPECT_EQ(with(" 3 , 1"), (Indices{3, 1}));
}

TEST_F(VisibleGpus, TheListEndsBeforeWhatIsNoGpu) {
  EXPECT_EQ(with("1,7,2"), Indices{1});
  EXPECT_EQ(with("1,-1,2"), Indices{1});
  EXPECT_EQ(with("-1"), Indices{});
  EXPECT_EQ(with("0,,1"), Indices{0});
  EXPECT_EQ(with("none"), Indices{});
  EXPECT_EQ(with("99999999999999999999"), Indices{});
}

// As in a container that was given two of the GPUs.
TEST_F(VisibleGpus, ThoseWithADeviceNode) {
  const std::filesystem::path folder = testing::TempDir() + "nvmlkit-nodes";
  std::filesystem::create_directories(folder);
  for (const char* node : {"nvidia1", "nvidia3"}) std::ofstream(folder / node) << "";
  EXPECT_EQ(visible_gpus(*machine_, {{"NVMLKIT_DEVICE_NODES", folder.string()}}), (Indices{1, 3}));
  EXPECT_EQ(visible_gpus(*machine_, {{"NVMLKIT_DEVICE_NODES", folder.string()}, {"CUDA_VISIBLE_DEVICES", "1"}}),
            Indices{3});
  std::filesystem::remove_all(folder);
}

TEST_F(VisibleGpus, TwiceIsNone) { EXPECT_EQ(with("0,1,0"), Indices{}); }

TEST_F(VisibleGpus, UuidsAndTheirBeginnings) {
  EXPECT_EQ(with("GPU-bbbb0000-0000-0000-0000-000000000000,GPU-aaaa1"), (Indices{2, 1}));
  EXPECT_EQ(with("GPU-aaaa"), Indices{});  // two begin so
  EXPECT_EQ(with("GPU-b,GPU-cccc,0"), Indices{2});
}

TEST(VisibleOrder, FastestFirstUnlessByPciAddress) {
  std::string error;
  const auto machine = sim::taken(sim::read_machine("machine", R"(version: "1.0"
base: h100
system: {num_devices: 3}
devices:
  - {index: 1, num_gpu_cores: 20000}
)"),
                                  error);
  ASSERT_TRUE(machine) << error;
  EXPECT_EQ(visible_gpus(*machine, {}), (Indices{1, 0, 2}));
  EXPECT_EQ(visible_gpus(*machine, {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}), (Indices{0, 1, 2}));
  EXPECT_EQ(visible_gpus(*machine, {{"CUDA_VISIBLE_DEVICES", "0"}}), Indices{1});
}

// GPU 1 has two MIG devices, GPU 2 none although it is in MIG mode.
TEST(VisibleMig, OneDeviceOfThem) {
  std::string error;
  const auto machine = sim::taken(sim::read_machine("machine", R"(version: "1.0"
base: h100
system: {num_devices: 3}
devices:
  - {index: 1, mig: {mode_current: enabled, instances: [{profile: 3g.40gb}, {profile: 1g.10gb}]}}
  - {index: 2, mig: {mode_current: enabled}}
)"),
                                  error);
  ASSERT_TRUE(machine) << error;
  EXPECT_EQ(visible_gpus(*machine, {}), Indices{0});
  const auto with = [&](std::string list) { return visible_devices(*machine, {{"CUDA_VISIBLE_DEVICES", list}}); };
  const auto& gpu = machine->gpus()[1];
  const auto second = sim::mig::device_at(gpu, 1);
  ASSERT_TRUE(second);
  const std::string uuid(sim::mig::uuid_of(gpu, second->id()).view());
  const auto found = with(uuid + ",0");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].gpu, 1U);
  ASSERT_TRUE(found[0].mig);
  EXPECT_EQ(found[0].mig->instance, second->id().instance);
  EXPECT_EQ(with("0," + uuid).size(), 1U);
  ASSERT_EQ(with("1").size(), 1U);
  EXPECT_TRUE(with("1")[0].mig);
  EXPECT_TRUE(with("2").empty());
  EXPECT_TRUE(with("MIG-nobody").empty());
}

}  // namespace
}  // namespace nvmlkit::cuda
