#include "sim/state/machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "../taken.hpp"
#include "sim/config/load.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/model/value.hpp"

namespace nvmlkit::sim {
namespace {

// Pages of the GPUs that are in memory.
std::size_t resident_pages(const Machine& machine) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(machine.gpus().data()) / page * page;
  const auto bytes = reinterpret_cast<std::uintptr_t>(machine.gpus().data()) + machine.gpus().size_bytes() - from;
  std::vector<unsigned char> in((bytes + page - 1) / page);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(from), bytes, in.data()), 0);
  return static_cast<std::size_t>(std::count_if(in.begin(), in.end(), [](unsigned char p) { return p & 1; }));
}

TEST(Machine, AThousandGpusTouchNothingUntilWritten) {
  const auto machine = Machine::create(kMaxGpus);
  ASSERT_NE(machine, nullptr);
  EXPECT_EQ(machine->gpus().size(), kMaxGpus);
  EXPECT_EQ(resident_pages(*machine), 0u);
  EXPECT_FALSE(machine->gpus().back().name);
  EXPECT_FALSE(machine->system().driver_version);
}

TEST(Machine, TooManyGpusAreRefused) { EXPECT_EQ(Machine::create(kMaxGpus + 1), nullptr); }

TEST(Machine, LoadingLeavesTheUnusedEndsOfListsUntouched) {
  std::string error;
  const auto machine = taken(read_machine("m.yaml", "system: {num_devices: 256}\n"), error);
  ASSERT_NE(machine, nullptr) << error;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LT(resident_pages(*machine), machine->gpus().size_bytes() / page * 3 / 4);
}

TEST(Machine, CopyTakesListsAndLeavesTheRest) {
  const auto machine = Machine::create(3);
  auto& from = machine->gpus()[0];
  model::set_defaults(from);
  from.name = "Copy me";
  from.grace_cpu_pair = 3u;
  model::Process process{};
  process.pid = 7u;
  ASSERT_TRUE(from.processes.push_back(process));
  ASSERT_TRUE(from.retired_pages.double_bit_retirement.addresses.push_back(0xABC));
  model::MemoryClock clock{};
  clock.freq_mhz = 5u;
  clock.graphics_clocks.push_back(1);
  clock.graphics_clocks.push_back(2);
  from.supported_clocks.memory_clocks.push_back(clock);
  model::copy(machine->gpus()[1], from);
  EXPECT_TRUE(model::equal(from, machine->gpus()[1]));
  EXPECT_EQ(machine->gpus()[1].supported_clocks.memory_clocks.items[0].graphics_clocks.items[1], 2u);
  EXPECT_FALSE(model::equal(from, machine->gpus()[2]));
  machine->gpus()[1].supported_clocks.memory_clocks.items[0].graphics_clocks.items[1] = 3;
  EXPECT_FALSE(model::equal(from, machine->gpus()[1]));
}

}  // namespace
}  // namespace nvmlkit::sim
