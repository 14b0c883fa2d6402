#include "sim/complete/complete.hpp"

#include <gtest/gtest.h>

#include <set>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/identity.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim {
namespace {

using model::EnableState;

std::unique_ptr<Machine> read(std::string_view yaml) {
  std::string error;
  auto machine = taken(read_machine("m.yaml", yaml), error);
  EXPECT_NE(machine, nullptr) << error;
  return machine ? std::move(machine) : Machine::create(64);
}

TEST(Complete, VersionsFollowTheDriver) {
  const auto machine = read("system: {driver_version: \"535.104.05\"}\n");
  const auto& system = machine->system();
  EXPECT_EQ(system.nvml_version->view(), "12.535.104.05");
  EXPECT_EQ(system.cuda_version->view(), "12.2");
  EXPECT_EQ(*system.cuda_version_minor, 2u);
  const auto stated = read("system: {driver_version: \"535.104.05\", cuda_version: \"11.8\"}\n");
  EXPECT_EQ(*stated->system().cuda_version_major, 11u);
  EXPECT_EQ(*stated->system().cuda_version_minor, 8u);
  EXPECT_EQ(stated->system().nvml_version->view(), "11.535.104.05");
}

TEST(Complete, UuidsAreStableWellFormedAndDifferent) {
  EXPECT_EQ(derived_uuid("A", 0), derived_uuid("A", 0));
  const auto machine = read("system: {num_devices: 1024}\n");
  std::set<std::string> uuids, addresses;
  for (const auto& gpu : machine->gpus()) {
    char text[24];
    uuids.emplace(gpu.uuid->view());
    addresses.emplace(model::format_pci_bus_id(*gpu.pci.bus_id, 8, text));
    EXPECT_EQ(gpu.uuid->view().size(), 40u);
  }
  EXPECT_EQ(uuids.size(), 1024u);
  EXPECT_EQ(addresses.size(), 1024u);
  EXPECT_NE(derived_uuid("A", 0), derived_uuid("B", 0));
}

TEST(Complete, AddressesKeepClearOfTheStatedOnes) {
  const auto machine = read("devices: [{index: 3, pci: {bus_id: \"0000:07:00.0\"}}]\n");
  EXPECT_EQ(machine->gpus()[3].pci.bus_id->bus, 7u);
  EXPECT_FALSE(*machine->gpus()[0].pci.bus_id == *machine->gpus()[3].pci.bus_id);
}

TEST(Complete, SerialsCountOn) {
  EXPECT_EQ(serial_after("0099", 1), "0100");
  EXPECT_EQ(serial_after("A-7", 5), "A-2");
  EXPECT_EQ(serial_after("X", 5), "X");
  const auto machine = read("device_defaults: {serial: \"0998\"}\ndevices: [{index: 1, serial: own}, {index: 2}]\n");
  EXPECT_EQ(machine->gpus()[0].serial->view(), "0998");
  EXPECT_EQ(machine->gpus()[1].serial->view(), "own");
  EXPECT_EQ(machine->gpus()[2].serial->view(), "1000");
}

TEST(Complete, IdentityOfTheBoard) {
  const auto machine =
      read("devices: [{index: 0, pci: {bus_id: \"0000:06:00.0\"}, inforom: {image_version: X}}, {index: 1}]\n");
  const auto& gpus = machine->gpus();
  EXPECT_EQ(*gpus[0].board_id, 0x600u);
  EXPECT_EQ(*gpus[1].minor_number, 1u);
  EXPECT_NE(*gpus[0].pdi, *gpus[1].pdi);
  EXPECT_TRUE(gpus[0].inforom.checksum);
  EXPECT_FALSE(gpus[1].inforom.checksum);
}

TEST(Complete, FieldsThatFollowOthers) {
  const auto machine = read(R"(
device_defaults:
  architecture: hopper
  performance_state: P2
  memory: {total_bytes: 1000, reserved_bytes: 100, used_bytes: 50}
  bar1_memory: {total_bytes: 10, used_bytes: 3}
  power: {default_limit_mw: 300, current_draw_mw: 7}
  module_power: {limit_mw: 9}
  clocks: {graphics_current: 1, graphics_max: 2}
  fan: {speed_percent: 30}
  pcie: {max_link_gen: 4}
  mig: {mode_current: enabled}
  gpu_operation_mode: {current: compute}
  gsp_firmware: {mode: enabled}
  ecc: {mode_current: enabled, errors: {volatile: {double_bit: {device_memory: 3, l2_cache: 2, register_file: 1}}}}
devices:
  - index: 1
    architecture: volta
    power: {limit_mw: 200}
    gsp_firmware: {mode: disabled}
)");
  const auto& gpu = machine->gpus()[0];
  EXPECT_EQ(*gpu.memory.free_bytes, 850u);
  EXPECT_EQ(*gpu.bar1_memory.free_bytes, 7u);
  EXPECT_EQ(*gpu.power.limit_mw, 300u);
  EXPECT_EQ(*gpu.power.enforced_limit_mw, 300u);
  EXPECT_EQ(*gpu.power.instant_draw_mw, 7u);
  EXPECT_EQ(*gpu.power.power_state, model::PState::P2);
  EXPECT_EQ(*gpu.module_power.requested_limit_mw, 9u);
  EXPECT_EQ(*gpu.clocks.sm_current, 1u);
  EXPECT_EQ(*gpu.clocks.sm_max, 2u);
  EXPECT_EQ(*gpu.fan.target_speed_percent, 30u);
  EXPECT_EQ(*gpu.pcie.device_max_link_gen, 4u);
  EXPECT_EQ(*gpu.mig.mode_pending, EnableState::enabled);
  EXPECT_EQ(*gpu.gpu_operation_mode.pending, model::GpuOperationMode::compute);
  EXPECT_EQ(*gpu.gsp_firmware.default_mode, EnableState::enabled);
  EXPECT_EQ(gpu.gsp_firmware.version->view(), "550.163.01");
  EXPECT_EQ(*gpu.ecc.mode_pending, EnableState::enabled);
  EXPECT_EQ(*gpu.ecc.errors.volatile_.double_bit.sram, 3u);
  EXPECT_EQ(*gpu.ecc.errors.volatile_.double_bit.total, 6u);
  EXPECT_FALSE(*gpu.retired_pages.supported);
  EXPECT_TRUE(*gpu.gpm.supported);
  const auto& old = machine->gpus()[1];
  EXPECT_TRUE(*old.retired_pages.supported);
  EXPECT_FALSE(old.ecc.errors.volatile_.double_bit.sram);
  EXPECT_EQ(*old.ecc.errors.volatile_.double_bit.total, 6u);
  EXPECT_FALSE(old.gsp_firmware.version);
  EXPECT_EQ(*old.power.enforced_limit_mw, 200u);
}

TEST(Complete, TwiceChangesNothing) {
  const auto once = read("base: h100\n"), twice = read("base: h100\n");
  complete(*twice);
  for (std::size_t i = 0; i < once->gpus().size(); ++i) EXPECT_TRUE(model::equal(once->gpus()[i], twice->gpus()[i]));
}

}  // namespace
}  // namespace nvmlkit::sim
