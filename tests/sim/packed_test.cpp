// Packed machines are the machines that their YAML describes. What is packed comes back byte for byte.
#include "sim/config/packed.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "sim/config/build.hpp"
#include "sim/config/builtin.hpp"
#include "sim/config/writer.hpp"

namespace nvmlkit::sim::config {
namespace {

std::unique_ptr<Machine> built(std::string_view name, const Overrides& overrides = {}) {
  const auto layers = Layers::of(std::string(name), builtin_machine_text(name));
  return layers ? build(*layers, overrides).value() : nullptr;
}

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

void expect_same(const Machine& packed, const Machine& machine) {
  EXPECT_TRUE(same_bytes(packed.host(), machine.host()));
  EXPECT_TRUE(same_bytes(packed.call_rules(), machine.call_rules()));
  ASSERT_EQ(packed.gpus().size(), machine.gpus().size());
  for (std::size_t i = 0; i < machine.gpus().size(); ++i)
    EXPECT_TRUE(same_bytes(packed.gpus()[i], machine.gpus()[i])) << "GPU " << i;
}

TEST(PackedMachines, AreAllBuiltInMachines) {
  EXPECT_EQ(list_packed_machines().size(), list_builtin_machines().size());
  for (const auto& builtin : list_builtin_machines()) {
    SCOPED_TRACE(builtin.name);
    const auto* packed = find_packed_machine(builtin.name);
    ASSERT_NE(packed, nullptr);
    const auto machine = built(builtin.name);
    ASSERT_NE(machine, nullptr);
    // By their values: a compiler may leave the bytes between members as it likes.
    const auto unpacked = unpack(*packed);
    EXPECT_EQ(write_machine(*unpacked), write_machine(*machine));
    EXPECT_TRUE(same_bytes(unpacked->call_rules(), machine->call_rules()));
  }
  EXPECT_EQ(find_packed_machine("a1000"), nullptr);
  EXPECT_EQ(find_packed_machine(""), nullptr);
}

// Machines of other shapes: no GPU, many GPUs, GPUs that differ, and rules for calls.
TEST(PackedMachines, HaveEveryByteOfTheirMachine) {
  const auto expect_round_trip = [](const Machine& machine) {
    const auto bytes = pack(machine);
    expect_same(*unpack({"any", static_cast<std::uint32_t>(machine.gpus().size()), bytes}), machine);
  };
  for (const std::uint32_t gpus : {0U, 1U, 2U, 70U}) {
    SCOPED_TRACE(gpus);
    Overrides overrides;
    overrides.gpu_count = gpus;
    expect_round_trip(*built("h100", overrides));
  }
  const auto machine = built("a100");
  auto all_bits = std::as_writable_bytes(machine->gpus().subspan(3, 1));
  std::memset(all_bits.data(), 0xFF, all_bits.size());
  machine->gpus()[5] = model::Gpu{};
  std::as_writable_bytes(machine->gpus().last(1)).back() = std::byte{1};
  ASSERT_TRUE(machine->call_rules().add({.symbol = 1, .gpu = 2, .result = 3, .delay_ns = 4, .after = 5, .times = 6}));
  expect_round_trip(*machine);
}

}  // namespace
}  // namespace nvmlkit::sim::config
