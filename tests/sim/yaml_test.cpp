// The spellings and shapes of YAML that a machine file may use.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../taken.hpp"
#include "sim/config/load.hpp"

namespace nvmlkit::sim {
namespace {

std::unique_ptr<Machine> read(std::string_view yaml) {
  std::string error;
  auto machine = taken(read_machine("m.yaml", yaml), error);
  EXPECT_NE(machine, nullptr) << error;
  return machine ? std::move(machine) : Machine::create(64);
}

TEST(Yaml, AnchorsAndMergeKeys) {
  const auto machine = read(R"(
device_defaults: &d
  power: &p {min_limit_mw: 1, max_limit_mw: 9}
  name: A
devices:
  - index: 0
    <<: *d
    name: B
  - {index: 1, power: {<<: *p, max_limit_mw: 8}}
)");
  EXPECT_EQ(machine->gpus()[0].name->view(), "B");
  EXPECT_EQ(*machine->gpus()[0].power.max_limit_mw, 9u);
  EXPECT_EQ(*machine->gpus()[1].power.max_limit_mw, 8u);
  EXPECT_EQ(*machine->gpus()[1].power.min_limit_mw, 1u);
}

TEST(Yaml, SpellingsOfValues) {
  const auto machine = read(R"(
device_defaults:
  serial: 0421819085400
  multi_gpu_board: yes
  pci: {device_id: 0x233010DE, bus_id: 1A:00.0}
  fan: {speed_percent: "45", target_speed_percent: 50}
  thermal: {temperature_gpu_c: -5}
  failure: {probability: 1e-3}
  memory: {total_bytes: 18446744073709551615}
  clocks_throttle_reasons: {gpu_idle: On}
system: {num_devices: 1}
)");
  const auto& gpu = machine->gpus()[0];
  EXPECT_EQ(gpu.serial->view(), "0421819085400");
  EXPECT_TRUE(*gpu.multi_gpu_board);
  EXPECT_EQ(*gpu.pci.device_id, 0x233010DEu);
  EXPECT_EQ(*gpu.pci.bus_id, (model::PciBusId{0, 0x1A, 0, 0}));
  EXPECT_EQ(*gpu.fan.speed_percent, 45u);
  EXPECT_EQ(*gpu.fan.target_speed_percent, 50u);
  EXPECT_EQ(*gpu.thermal.temperature_gpu_c, -5);
  EXPECT_DOUBLE_EQ(*gpu.failure.probability, 1e-3);
  EXPECT_EQ(*gpu.memory.total_bytes, 18446744073709551615ull);
  EXPECT_TRUE(*gpu.clocks_throttle_reasons.gpu_idle);
}

// The shape that users of the Go mock have, with the parts that its files hold.
TEST(Yaml, FilesOfTheGoMock) {
  const auto machine = read(R"(
version: "1.0"
system: {driver_version: "550.163.01", nvml_version: "12.550.163.01", cuda_version: "12.4", cuda_version_major: 12, cuda_version_minor: 4}
device_defaults:
  name: "Mock GPU"
  brand: "nvidia"
  serial: "100"
  architecture: "ada_lovelace"
  compute_capability: {major: 8, minor: 9}
  inforom: {image_version: "G000.0000.00.00", pwr_object: "N/A"}
  fan: {count: 0, speed_percent: "N/A", target_speed_percent: "N/A"}
  power: {management_mode: "enabled", power_state: "P0"}
  driver_model: {current: "N/A", pending: "N/A"}
  virtualization: {mode: "none", host_vgpu_mode: "N/A"}
  features: {fp6_support: true}
  ecc: {mode_current: "enabled", errors: {volatile: {single_bit: {device_memory: 0, total: 0}}}}
  fabric: {cluster_uuid: "00000000-0000-0000-0000-000000000001", clique_id: 0, state: "auto"}
devices:
  - {index: 0, uuid: "GPU-01000100-0000-0000-0000-000000000000", serial: "100", pci: {bus_id: "0000:1A:00.0"}, minor_number: 0}
  - {index: 1, uuid: "GPU-01000100-0000-0000-0000-000000000001", serial: "101", pci: {bus_id: "0000:1B:00.0"}, minor_number: 1}
nvlink: {version: 4, links_per_gpu: 18, switches: [{bdf: "0000:05:00.0", uuid: "NVSwitch-0"}]}
infiniband: {enabled: false}
dynamic_metrics_defaults: {power: {base_mw: 1, variance_mw: 2}}
pcie_topology: {root_complexes: [{id: "pci0000:00", numa_node: 0, devices: ["0000:1A:00.0", "0000:1B:00.0"]}]}
)");
  ASSERT_EQ(machine->gpus().size(), 2u);
  EXPECT_EQ(*machine->gpus()[0].architecture, model::Architecture::ada);
  EXPECT_FALSE(machine->gpus()[0].fan.speed_percent);
  EXPECT_EQ(machine->gpus()[1].serial->view(), "101");
  EXPECT_EQ(*machine->gpus()[0].ecc.mode_pending, model::EnableState::enabled);
  EXPECT_EQ(machine->host().pcie_topology.root_complexes.items[0].devices.count, 2u);
}

// The files themselves are not ours to carry: NVMLKIT_GO_MOCK_CONFIGS names a folder that holds them.
TEST(Yaml, TheGoMocksOwnFiles) {
  const char* folder = std::getenv("NVMLKIT_GO_MOCK_CONFIGS");
  if (folder == nullptr) GTEST_SKIP() << "NVMLKIT_GO_MOCK_CONFIGS is not set";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::string error;
    const auto machine = taken(load_machine({{"MOCK_NVML_CONFIG", entry.path().string()}}), error);
    EXPECT_NE(machine, nullptr) << error;
    ++files;
  }
  EXPECT_GE(files, 7);
}

}  // namespace
}  // namespace nvmlkit::sim
