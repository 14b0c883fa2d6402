#include "sim/config/writer.hpp"

#include <gtest/gtest.h>

#include "../taken.hpp"
#include "sim/config/builtin.hpp"
#include "sim/config/load.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim {
namespace {

void expect_round_trip(std::string_view name, std::string_view yaml) {
  std::string error;
  const auto machine = taken(read_machine(name, yaml), error);
  ASSERT_NE(machine, nullptr) << error;
  const std::string written = write_machine(*machine);
  const auto again = taken(read_machine("written", written), error);
  ASSERT_NE(again, nullptr) << error << "\n" << written;
  ASSERT_EQ(machine->gpus().size(), again->gpus().size());
  EXPECT_TRUE(model::equal(machine->host(), again->host())) << written;
  for (std::size_t i = 0; i < machine->gpus().size(); ++i)
    EXPECT_TRUE(model::equal(machine->gpus()[i], again->gpus()[i])) << name << " GPU " << i << "\n" << written;
  EXPECT_EQ(write_machine(*again), written);
}

TEST(Writer, EveryBuiltinMachineComesBackTheSame) {
  for (const auto& builtin : list_builtin_machines()) expect_round_trip(builtin.name, builtin.text);
}

TEST(Writer, WhatIsAbsentStaysAbsent) {
  expect_round_trip("absent", R"(
device_defaults: {utilization: N/A, clocks: {graphics_max: 5, sm_max: N/A}, uuid: N/A, fan: N/A}
devices: [{index: 0, power: N/A}, {index: 1, clocks: {sm_max: 4}}, {index: 2, clocks: {graphics_max: N/A}}]
system: {driver_version: N/A}
)");
}

TEST(Writer, EveryKindOfValue) {
  expect_round_trip("values", R"(
device_defaults:
  name: "quote \" backslash \\ é"
  serial: "same"
  failure: {probability: 0.1, after_calls: -5, seed: 9223372036854775807}
  nvlink_error: {rate: 1e300, links: [1, 2]}
  thermal: {temperature_gpu_c: -60}
  memory: {total_bytes: 18446744073709551615}
  clocks_throttle_reasons: {supported: 0xFFFFFFFFFFFFFFFF}
  retired_pages: {double_bit_retirement: {count: 1, addresses: [0xFFFFFFFFFFFFFFFF]}}
  processes: [{pid: 1, type: M+C}, {pid: 2, name: ""}]
  supported_clocks: {memory_clocks: [{freq_mhz: 5, graphics_clocks: [3, 2]}, {freq_mhz: 4}]}
  pci: {bus_id: N/A}
devices: [{index: 0, pci: {bus_id: "00012345:AB:1f.7"}}, {index: 1, processes: []}]
nvlink: {device_links: [{index: 1, links: [{link: 3, remote_pci_bus_id: "0000:01:00.0"}]}], switches: [{}]}
pcie_topology: {root_complexes: [{devices: ["0000:01:00.0"]}]}
)");
  expect_round_trip("none", "system: {num_devices: 0}\n");
}

TEST(Writer, CharactersThatYamlWouldNotKeepAreEscaped) {
  expect_round_trip("characters", "device_defaults: {name: \"\\N \\L \\P \\uFEFF \\U0001F600 \\uFFFE \\x80 é\"}\n");
  const auto machine = Machine::create(1);
  machine->gpus()[0].name = "bad \xC3";
  std::string error;
  const auto again = taken(read_machine("written", write_machine(*machine)), error);
  ASSERT_NE(again, nullptr) << error;
  EXPECT_EQ(again->gpus()[0].name->view(), "bad \xEF\xBF\xBD");
}

TEST(Writer, CommonValuesAreWrittenOnce) {
  std::string error;
  const auto machine = taken(read_machine("m", "device_defaults: {vbios_version: only-once}\n"), error);
  ASSERT_NE(machine, nullptr);
  const std::string text = write_machine(*machine);
  const auto first = text.find("only-once");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("only-once", first + 1), std::string::npos);
}

}  // namespace
}  // namespace nvmlkit::sim
