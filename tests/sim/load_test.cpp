#include "sim/config/load.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <string>

#include "../taken.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/config/builtin.hpp"

namespace nvmlkit::sim {
namespace {

std::unique_ptr<Machine> read(std::string_view yaml, const Overrides& overrides = {}) {
  std::string error;
  auto machine = taken(read_machine("m.yaml", yaml, overrides), error);
  EXPECT_NE(machine, nullptr) << error;
  return machine ? std::move(machine) : Machine::create(64);
}

std::unique_ptr<Machine> load(const Environment& environment) {
  std::string error;
  auto machine = taken(load_machine(environment), error);
  EXPECT_NE(machine, nullptr) << error;
  return machine ? std::move(machine) : Machine::create(64);
}

std::string refusal(const Environment& environment) {
  std::string error;
  EXPECT_EQ(taken(load_machine(environment), error), nullptr);
  return error;
}

class File {
 public:
  explicit File(std::string_view text) {
    path_ = testing::TempDir() + "nvmlkit_load_test_" + std::to_string(getpid()) + ".yaml";
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Environment, EmptyCountsAsUnset) {
  const Environment environment{{"A", "1"}, {"B", ""}};
  EXPECT_EQ(environment.get("A"), "1");
  EXPECT_FALSE(environment.get("B"));
  EXPECT_FALSE(environment.get("C"));
}

TEST(LoadMachine, DefaultIsEightA100) {
  const auto machine = load({});
  ASSERT_EQ(machine->gpus().size(), 8u);
  for (const auto& gpu : machine->gpus()) EXPECT_EQ(gpu.name->view().substr(0, 11), "NVIDIA A100");
}

TEST(LoadMachine, ByNameByPathAndByTheMocksVariable) {
  EXPECT_EQ(load({{"NVMLKIT_MACHINE", "h100"}})->gpus()[0].name->view(), "NVIDIA H100 80GB HBM3");
  const File file("device_defaults: {name: Test}\n");
  EXPECT_EQ(load({{"NVMLKIT_MACHINE", file.path()}})->gpus()[0].name->view(), "Test");
  EXPECT_EQ(load({{"MOCK_NVML_CONFIG", file.path()}})->gpus()[0].name->view(), "Test");
  EXPECT_EQ(load({{"NVMLKIT_MACHINE", "t4"}, {"MOCK_NVML_CONFIG", file.path()}})->gpus()[0].name->view(), "Tesla T4");
}

TEST(LoadMachine, CountsFromTheEnvironment) {
  const File file("system: {num_devices: 3}\n");
  EXPECT_EQ(load({{"MOCK_NVML_NUM_DEVICES", "16"}})->gpus().size(), 16u);
  EXPECT_EQ(load({{"NVMLKIT_GPU_COUNT", "1024"}})->gpus().size(), 1024u);
  EXPECT_EQ(load({{"NVMLKIT_GPU_COUNT", "0"}})->gpus().size(), 0u);
  EXPECT_EQ(load({{"NVMLKIT_GPU_COUNT", "5"}, {"MOCK_NVML_NUM_DEVICES", "2"}})->gpus().size(), 5u);
  EXPECT_EQ(load({{"MOCK_NVML_CONFIG", file.path()}, {"MOCK_NVML_NUM_DEVICES", "2"}})->gpus().size(), 3u);
  EXPECT_EQ(load({{"MOCK_NVML_CONFIG", file.path()}, {"NVMLKIT_GPU_COUNT", "2"}})->gpus().size(), 2u);
}

TEST(LoadMachine, DriverVersionFromTheEnvironmentBringsItsOwnVersions) {
  const auto machine = load({{"MOCK_NVML_DRIVER_VERSION", "580.65.06"}});
  EXPECT_EQ(machine->system().driver_version->view(), "580.65.06");
  EXPECT_EQ(machine->system().nvml_version->view(), "13.580.65.06");
  EXPECT_EQ(machine->system().cuda_version->view(), "13.0");
  const File file("system: {driver_version: \"535.1\"}\n");
  EXPECT_EQ(
      load({{"MOCK_NVML_CONFIG", file.path()}, {"MOCK_NVML_DRIVER_VERSION", "580.1"}})->system().driver_version->view(),
      "535.1");
}

TEST(LoadMachine, ASeedGivesTheGpusOtherIdentities) {
  const auto plain = load({{"NVMLKIT_MACHINE", "h100"}}),
             one = load({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_SEED", "a"}}),
             same = load({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_SEED", "a"}}),
             other = load({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_SEED", "b"}});
  std::set<std::string> uuids, serials;
  for (const auto* machine : {&plain, &one, &other})
    for (const auto& gpu : (*machine)->gpus()) {
      uuids.emplace(gpu.uuid->view());
      serials.emplace(gpu.serial->view());
      EXPECT_EQ(gpu.serial->view().substr(0, 4), "1650");
      EXPECT_EQ(gpu.serial->view().size(), 13u);
    }
  EXPECT_EQ(uuids.size(), 24u);
  EXPECT_EQ(serials.size(), 24u);
  EXPECT_EQ(same->gpus()[7].uuid->view(), one->gpus()[7].uuid->view());
  EXPECT_EQ(same->gpus()[7].serial->view(), one->gpus()[7].serial->view());
}

TEST(LoadMachine, ASeedLeavesWhatTheFileGivesAGpu) {
  const File file(
      "device_defaults: {serial: \"12345678\"}\n"
      "devices: [{index: 1, uuid: GPU-00000000-0000-0000-0000-000000000001, serial: own}]\n");
  const auto machine = load({{"NVMLKIT_MACHINE", file.path()}, {"NVMLKIT_SEED", "a"}});
  EXPECT_EQ(machine->gpus()[1].uuid->view(), "GPU-00000000-0000-0000-0000-000000000001");
  EXPECT_EQ(machine->gpus()[1].serial->view(), "own");
  EXPECT_NE(machine->gpus()[0].serial->view(), "12345678");
}

TEST(LoadMachine, RefusesWhatTheEnvironmentCannotMean) {
  EXPECT_EQ(refusal({{"NVMLKIT_MACHINE", "h1000"}}), "NVMLKIT_MACHINE: unknown machine 'h1000'; did you mean 'h100'?");
  EXPECT_EQ(refusal({{"NVMLKIT_MACHINE", "./no.yaml"}}), "./no.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(refusal({{"NVMLKIT_GPU_COUNT", "many"}}), "NVMLKIT_GPU_COUNT: expected 0 to 1024, got 'many'");
  EXPECT_EQ(refusal({{"MOCK_NVML_NUM_DEVICES", "-1"}}), "MOCK_NVML_NUM_DEVICES: expected 0 to 1024, got '-1'");
  EXPECT_EQ(refusal({{"NVMLKIT_GPU_COUNT", "1025"}}), "NVMLKIT_GPU_COUNT: expected 0 to 1024, got '1025'");
  EXPECT_EQ(refusal({{"MOCK_NVML_DRIVER_VERSION", std::string(80, '5')}}),
            "MOCK_NVML_DRIVER_VERSION: expected at most 79 bytes, got 80");
}

TEST(GpuCount, ComesFromTheHighestIndexUnlessStated) {
  EXPECT_EQ(read("version: \"1.0\"\n")->gpus().size(), 8u);
  EXPECT_EQ(read("devices: []\n")->gpus().size(), 8u);
  EXPECT_EQ(read("devices: [{index: 2}]\n")->gpus().size(), 3u);
  EXPECT_EQ(read("system: {num_devices: 12}\ndevices: [{index: 2}]\n")->gpus().size(), 12u);
  EXPECT_EQ(read("system: {num_devices: 2}\ndevices: [{index: 5}]\n")->gpus().size(), 2u);
  EXPECT_EQ(read("system: {num_devices: 0}\n")->gpus().size(), 0u);
}

TEST(Merge, GpuOverridesKeyByKeyAndListsReplace) {
  const auto machine = read(R"(
device_defaults:
  name: Common
  power: {default_limit_mw: 300000, min_limit_mw: 100000}
  processes: [{pid: 1}, {pid: 2}]
devices:
  - index: 1
    power: {min_limit_mw: 150000}
    processes: [{pid: 9, name: mine}]
)");
  ASSERT_EQ(machine->gpus().size(), 2u);
  const auto& plain = machine->gpus()[0];
  const auto& own = machine->gpus()[1];
  EXPECT_EQ(own.name->view(), "Common");
  EXPECT_EQ(own.power.default_limit_mw.value_or(0), 300000u);
  EXPECT_EQ(own.power.min_limit_mw.value_or(0), 150000u);
  EXPECT_EQ(plain.power.min_limit_mw.value_or(0), 100000u);
  ASSERT_EQ(plain.processes.count, 2u);
  ASSERT_EQ(own.processes.count, 1u);
  EXPECT_EQ(*own.processes.items[0].pid, 9u);
  EXPECT_EQ(own.processes.items[0].type->view(), "C");
}

TEST(Merge, AbsentBeatsDefaultsAndDerivation) {
  const auto machine = read(R"(
device_defaults:
  clocks: {graphics_max: 1000, sm_max: N/A, video_max: null}
  persistence_mode: "N/A"
  utilization: N/A
  supported_clocks: {memory_clocks: [{freq_mhz: 5}]}
devices:
  - {index: 0, clocks: {graphics_max: ~}, supported_clocks: {memory_clocks: null}}
  - {index: 1}
)");
  const auto& gpus = machine->gpus();
  EXPECT_FALSE(gpus[0].clocks.graphics_max);
  EXPECT_EQ(gpus[1].clocks.graphics_max.value_or(0), 1000u);
  EXPECT_FALSE(gpus[1].clocks.sm_max);
  EXPECT_FALSE(gpus[0].persistence_mode);
  EXPECT_FALSE(gpus[0].utilization.gpu);
  EXPECT_EQ(gpus[0].supported_clocks.memory_clocks.count, 0u);
  EXPECT_EQ(gpus[1].supported_clocks.memory_clocks.count, 1u);
}

TEST(Base, WhatFollowsOverridesEvenTheEntriesOfTheBase) {
  const auto base = read("base: t4\n");
  ASSERT_EQ(base->gpus().size(), 4u);
  EXPECT_EQ(base->gpus()[0].name->view(), "Tesla T4");
  const auto machine = read(R"(
base: t4
system: {driver_version: "580.65.06"}
device_defaults: {name: Other}
devices:
  - {index: 2, uuid: GPU-00000000-0000-0000-0000-000000000002}
)");
  ASSERT_EQ(machine->gpus().size(), 4u);
  for (const auto& gpu : machine->gpus()) EXPECT_EQ(gpu.name->view(), "Other");
  EXPECT_EQ(machine->gpus()[2].uuid->view(), "GPU-00000000-0000-0000-0000-000000000002");
  EXPECT_EQ(machine->gpus()[3].memory.total_bytes, base->gpus()[3].memory.total_bytes);
  EXPECT_EQ(read("base: t4\ndevices: [{index: 9}]\n")->gpus().size(), 10u);
  EXPECT_EQ(read("base: t4\nsystem: {num_devices: 1}\n")->gpus().size(), 1u);
}

TEST(Base, OfOneGpuMakesAMixedMachine) {
  const auto machine = read(
      "version: \"1.0\"\nbase: h100\nsystem: {num_devices: 1024}\ndevice_defaults: {persistence_mode: disabled}\n"
      "devices:\n  - {index: 1, base: t4}\n  - {index: 3, base: a100, power: {min_limit_mw: 123000}}\n"
      "  - {index: 1023, base: t4, name: Mine}\n");
  const auto gpus = machine->gpus();
  ASSERT_EQ(gpus.size(), 1024U);
  EXPECT_EQ(gpus[0].name->view(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpus[1].name->view(), "Tesla T4");
  EXPECT_FALSE(gpus[1].mig.mode_current) << "nothing of the H100 is left";
  EXPECT_EQ(*gpus[1].persistence_mode, static_cast<std::uint32_t>(abi::NVML_FEATURE_DISABLED));
  EXPECT_EQ(gpus[3].name->view(), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(*gpus[3].power.min_limit_mw, 123'000U);
  EXPECT_EQ(gpus[1023].name->view(), "Mine");
  EXPECT_EQ(*gpus[1023].architecture, static_cast<std::uint32_t>(abi::DEVICE_ARCH_TURING));
  EXPECT_NE(gpus[1].uuid->view(), gpus[1023].uuid->view());
  EXPECT_NE(gpus[1].pci.bus_id->bus, gpus[3].pci.bus_id->bus);

  std::string error;
  EXPECT_EQ(taken(read_machine("m.yaml", "base: h100\ndevices: [{index: 0, base: t5}]\n", {}), error), nullptr);
  EXPECT_NE(error.find("m.yaml:2:"), std::string::npos) << error;
  EXPECT_NE(error.find("unknown machine 't5'"), std::string::npos) << error;
  EXPECT_EQ(taken(read_machine("m.yaml", "device_defaults: {base: t4}\n", {}), error), nullptr);
}

TEST(Builtin, EveryOneLoadsAndHasWhatTellsItApart) {
  ASSERT_GE(list_builtin_machines().size(), 8u);
  for (const auto& builtin : list_builtin_machines()) {
    std::string error;
    const auto machine = taken(read_machine(builtin.name, builtin.text), error);
    ASSERT_NE(machine, nullptr) << error;
    EXPECT_FALSE(machine->gpus().empty());
    for (const auto& gpu : machine->gpus()) EXPECT_TRUE(gpu.uuid && gpu.pci.bus_id && gpu.name) << builtin.name;
  }
  EXPECT_TRUE(builtin_machine_text("nothing").empty());
}

}  // namespace
}  // namespace nvmlkit::sim
