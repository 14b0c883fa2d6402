// What errors do to GPUs of each architecture, and the words that make them.
#include <gtest/gtest.h>

#include <sstream>

#include "../taken.hpp"
#include "nvmlkit/generated/abi.hpp"
#include "sim/calls/rule_words.hpp"
#include "sim/config/load.hpp"
#include "sim/faults/inject.hpp"
#include "sim/faults/kinds.hpp"
#include "sim/state/attention.hpp"
#include "sim/steering/fault.hpp"
#include "state_support.hpp"

namespace nvmlkit::sim::faults {
namespace {

using state::count_visible;
using state::index_of_place;
using state::place_of_index;
using steering::describe;

std::unique_ptr<Machine> machine_of(const std::string& name) {
  std::string error;
  auto machine = taken(load_machine({{"NVMLKIT_MACHINE", name}, {"NVMLKIT_GPU_COUNT", "2"}}), error);
  EXPECT_NE(machine, nullptr) << error;
  return machine;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string inject(const Machine& machine, const std::string& text) {
  return text_of(steering::inject(machine, words(text)));
}
std::string heal(const Machine& machine, const std::string& text) {
  return text_of(steering::heal(machine, words(text)));
}

// The Xids raised so far.
std::vector<std::uint64_t> xids_of(const Machine& machine) {
  std::vector<std::uint64_t> out;
  events::Published event{};
  for (std::uint64_t cursor = 0; events::take(machine.events(), cursor, event);)
    if (event.event.type == static_cast<std::uint64_t>(abi::EventTypeXidCriticalError)) out.push_back(event.event.data);
  return out;
}

bool raised(const Machine& machine, long long type) {
  events::Published event{};
  for (std::uint64_t cursor = 0; events::take(machine.events(), cursor, event);)
    if (event.event.type == static_cast<std::uint64_t>(type)) return true;
  return false;
}

using Numbers = std::vector<std::uint64_t>;

TEST(DoubleBitError, RetiresAPageBeforeAmpere) {
  const auto machine = machine_of("t4");
  const auto& gpu = machine->gpus()[0];
  const auto pages = gpu.retired_pages.double_bit_retirement.count.value_or(0);
  ASSERT_EQ(inject(*machine, "gpu=0 ecc dram uncorrected"), "");
  EXPECT_EQ(xids_of(*machine), (Numbers{48, 63}));
  EXPECT_EQ(*gpu.retired_pages.double_bit_retirement.count, pages + 1);
  EXPECT_TRUE(*gpu.retired_pages.pending_retirement);
  EXPECT_FALSE(gpu.remapped_rows.pending.value_or(false));
  EXPECT_TRUE(raised(*machine, abi::EventTypeDoubleBitEccError));
  EXPECT_EQ(machine->gpus()[1].retired_pages.double_bit_retirement.count.value_or(0), pages);
}

TEST(DoubleBitError, RemapsARowFromAmpereOn) {
  for (const auto* name : {"a100", "h100", "b200"}) {
    const auto machine = machine_of(name);
    const auto& gpu = machine->gpus()[0];
    const auto total = [&] { return *gpu.ecc.errors.aggregate.double_bit.total; };
    const auto before = total();
    const auto rows = gpu.remapped_rows.uncorrectable.value_or(0);
    const auto spare = *gpu.remapped_rows.availability_histogram.max;
    ASSERT_EQ(inject(*machine, "gpu=0 xid 48"), "") << name;
    EXPECT_EQ(xids_of(*machine), (Numbers{48, 63, 94})) << name;  // these chips contain the error
    EXPECT_EQ(*gpu.remapped_rows.uncorrectable, rows + 1) << name;
    EXPECT_TRUE(*gpu.remapped_rows.pending) << name;
    EXPECT_EQ(*gpu.remapped_rows.availability_histogram.max, spare - 1) << name;
    EXPECT_EQ(total(), before + 1) << name;
    EXPECT_EQ(gpu.faults.availability, Availability::available) << name;
  }
}

TEST(DoubleBitError, IsNotContainedOnSmallerChips) {
  const auto machine = machine_of("l40s");
  machine->gpus()[0].ecc.mode_current = static_cast<std::uint32_t>(abi::NVML_FEATURE_ENABLED);
  ASSERT_EQ(inject(*machine, "gpu=0 ecc dram uncorrected"), "");
  EXPECT_EQ(xids_of(*machine), (Numbers{48, 63, 95}));
  EXPECT_TRUE(*machine->gpus()[0].reset_status.required);
}

TEST(DoubleBitError, FailsWhenNoRowIsLeft) {
  const auto machine = machine_of("h100");
  auto& gpu = machine->gpus()[0];
  auto& banks = gpu.remapped_rows.availability_histogram;
  banks.max = 0;
  for (auto* other : {&banks.high, &banks.partial, &banks.low}) *other = 0;
  ASSERT_EQ(inject(*machine, "gpu=0 ecc dram uncorrected"), "");
  EXPECT_EQ(xids_of(*machine), (Numbers{48, 64, 94}));
  EXPECT_TRUE(*gpu.remapped_rows.failure_occurred);
  EXPECT_TRUE(raised(*machine, abi::EventTypeDramRetirementFailure));
}

TEST(SingleBitError, IsCountedAndToldAndNothingElse) {
  const auto machine = machine_of("h100");
  const auto& errors = machine->gpus()[0].ecc.errors;
  const auto before = *errors.volatile_.single_bit.total;
  ASSERT_EQ(inject(*machine, "gpu=0 ecc sram corrected --count 3"), "");
  EXPECT_EQ(*errors.volatile_.single_bit.total, before + 3);
  EXPECT_TRUE(raised(*machine, abi::EventTypeSingleBitEccError));
  EXPECT_TRUE(xids_of(*machine).empty());
}

TEST(Xid, SeventyNineTakesTheGpuAway) {
  const auto machine = machine_of("h100");
  ASSERT_EQ(inject(*machine, "gpu=all xid 79"), "");
  for (const auto& gpu : machine->gpus()) EXPECT_EQ(gpu.faults.availability, Availability::lost);
  EXPECT_NE(machine->attention().watched.load(), 0U);
  ASSERT_EQ(heal(*machine, "gpu=all"), "");
  EXPECT_EQ(machine->attention().watched.load(), 0U);
}

TEST(Xid, WithoutAnEffectIsAnEventOnly) {
  const auto machine = machine_of("h100");
  ASSERT_EQ(inject(*machine, "gpu=0 xid 31"), "");
  EXPECT_EQ(xids_of(*machine), Numbers{31});
  EXPECT_EQ(machine->attention().watched.load(), 0U);
}

TEST(Words, AreRefusedWithWhatIsWrong) {
  const auto machine = machine_of("h100");
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected gpu="},
      {"gpu=9 lost", "no GPU '9'; the machine has 2"},
      {"gpu", "expected gpu=INDEX"},
      {"gpu=0", "which fault?"},
      {"gpu=0 termal", "did you mean 'thermal'"},
      {"gpu=0 xid", "number of an Xid"},
      {"gpu=0 xid 9999", "no driver raises Xid 9999; --force"},
      {"gpu=0 xid -1", "got '-1'"},
      {"gpu=0 xid 79 80", "unexpected '80'"},
      {"gpu=0 lost now", "unexpected 'now'"},
      {"gpu=0 ecc drm uncorrected", "did you mean 'dram'"},
      {"gpu=0 ecc dram uncorrected --count 0", "--count N"},
      {"gpu=0 ecc dram twice", "corrected or uncorrected"},
      {"gpu=0 bank-remap pending", "GPUs from Rubin on do"},
      {"gpu=0 recovery", "bus-reset, system-reboot"},
      {"gpu=0 fan all", "no fan"},
      {"gpu=0 nvlink 99 down", "link 0 to 17"},
      {"gpu=0 fabric rout-unhealthy", "did you mean 'route-unhealthy'"},
      {"gpu=0 event clok", "did you mean 'clock'"},
      {"gpu=0 fail nvmlDeviceGetMemInfo UNKNOWN", "did you mean 'nvmlDeviceGetMemoryInfo'"},
      {"gpu=0 fail nvmlDeviceGetMemoryInfo GPU_IS_LOS", "did you mean 'GPU_IS_LOST'"},
      {"gpu=0 fail nvmlDeviceGetMemoryInfo", "a function and an error"},
      {"gpu=0 fail nvmlDeviceGetMemoryInfo UNKNOWN --after", "--after needs"},
      {"gpu=0 fail nvmlDeviceGetMemoryInfo UNKNOWN --often 3", "got '--often'"},
      {"gpu=0 slow nvmlDeviceGetMemoryInfo 5", "a duration"},
      {"gpu=0 slow nvmlDeviceGetMemoryInfo 2h", "a duration"},
      {"machine", "which fault?"},
      {"machine driver-not-loadd", "did you mean 'driver-not-loaded'"},
  };
  for (const auto& [text, complaint] : cases)
    EXPECT_NE(inject(*machine, text).find(complaint), std::string::npos) << text << ": " << inject(*machine, text);
  EXPECT_TRUE(describe(machine->gpus()[0]).empty());
  EXPECT_TRUE(machine->call_rules().empty());
  EXPECT_EQ(machine->header().writes.load(), 0U);
  EXPECT_NE(heal(*machine, "gpu=0 ecc").find("is over"), std::string::npos);
  EXPECT_NE(heal(*machine, "gpu=0 termal").find("did you mean"), std::string::npos);
}

TEST(Banks, WaitForAReset) {
  const auto machine = machine_of("b200");
  auto& gpu = machine->gpus()[0];
  gpu.bank_remapper.active = 2U;
  gpu.bank_remapper.histogram.max_spare = 1U;
  for (const auto* text : {"gpu=0 bank-remap", "gpu=0 bank-remap failed", "gpu=0 bank-remap pending now"})
    EXPECT_NE(inject(*machine, text).find("pending or no-spare"), std::string::npos) << text;
  ASSERT_EQ(inject(*machine, "gpu=0 bank-remap pending"), "");
  ASSERT_EQ(inject(*machine, "gpu=0 bank-remap no-spare"), "");
  EXPECT_EQ(*gpu.bank_remapper.active, 2U);
  EXPECT_EQ(*gpu.bank_remapper.inactive, 2U);
  EXPECT_EQ(*gpu.bank_remapper.histogram.max_spare, 0U);  // no group was left for the second one
  EXPECT_EQ(*gpu.bank_remapper.histogram.no_spare, 1U);
  EXPECT_EQ(*gpu.reset_status.recovery_action, model::RecoveryAction::reset);
  EXPECT_EQ(describe(gpu), (std::vector<std::string>{"recovery reset", "bank-remap pending"}));
  ASSERT_EQ(heal(*machine, "gpu=0 bank-remap"), "");
  EXPECT_EQ(*gpu.bank_remapper.active, 4U);
  EXPECT_EQ(*gpu.bank_remapper.inactive, 0U);
  EXPECT_EQ(*gpu.reset_status.recovery_action, model::RecoveryAction::none);
  EXPECT_TRUE(describe(gpu).empty());
}

TEST(Words, OfAGpuThatCannotAreRefusedForAll) {
  const auto machine = machine_of("h100");
  machine->gpus()[1].ecc.mode_current = static_cast<std::uint32_t>(abi::NVML_FEATURE_DISABLED);
  EXPECT_EQ(inject(*machine, "gpu=all ecc dram uncorrected"), "GPU 1: its ECC is off");
  EXPECT_EQ(*machine->gpus()[0].ecc.errors.volatile_.double_bit.total, 0U);
  EXPECT_TRUE(xids_of(*machine).empty());
}

TEST(Words, ComeBackAsTheyWereSaid) {
  const auto machine = machine_of("h100");
  for (const auto* text : {"lost", "remap pending", "inforom", "thermal hw", "power-brake"}) {
    ASSERT_EQ(inject(*machine, std::string("gpu=0 ") + text), "") << text;
    EXPECT_EQ(describe(machine->gpus()[0]), std::vector<std::string>{text});
    ASSERT_EQ(heal(*machine, "gpu=0"), "");
    EXPECT_TRUE(describe(machine->gpus()[0]).empty()) << text;
  }
  ASSERT_EQ(inject(*machine, "gpu=0 nvlink 3 down"), "");  // it comes with an Xid
  EXPECT_EQ(describe(machine->gpus()[0]), (std::vector<std::string>{"xid 74", "nvlink 3 down"}));
  ASSERT_EQ(heal(*machine, "gpu=0"), "");
  EXPECT_TRUE(describe(machine->gpus()[0]).empty());
  ASSERT_EQ(inject(*machine, "gpu=0 slow nvmlDeviceGetTemperature 500ms --after 2 --times 7"), "");
  EXPECT_EQ(calls::describe(*machine->call_rules().at(0)), "slow nvmlDeviceGetTemperature 500ms --after 2 --times 7");
  ASSERT_EQ(heal(*machine, "gpu=0 slow"), "");
  EXPECT_TRUE(machine->call_rules().empty());
}

TEST(Rules, AreAllCountedAndTheFirstDecides) {
  const auto machine = machine_of("h100");
  auto& rules = machine->call_rules();
  ASSERT_TRUE(rules.add({3, calls::kAnyGpu, 999, 5, 0, UINT64_MAX}));
  ASSERT_TRUE(rules.add({3, 1, 15, 7, 1, 1}));
  const auto symbol = static_cast<Symbol>(3);
  EXPECT_EQ(rules.judge(symbol, 1, false).delay_ns, 5U);
  const auto both = rules.judge(symbol, 1, false);
  EXPECT_EQ(both.result, 999);
  EXPECT_EQ(both.delay_ns, 12U);
  EXPECT_EQ(rules.judge(symbol, 1, false).delay_ns, 5U);
  EXPECT_EQ(rules.judge(static_cast<Symbol>(4), 1, false).result, calls::kNoResult);
  EXPECT_EQ(rules.at(1)->calls, 3U);
  for (std::size_t i = 2; i < calls::Rules::kCapacity; ++i) ASSERT_TRUE(rules.add({3, 0, 1, 0, 0, 1}));
  EXPECT_NE(inject(*machine, "gpu=0 fail nvmlInit_v2 UNKNOWN").find("256"), std::string::npos);
}

TEST(Ring, TakesAnyBytes) {
  const auto machine = machine_of("h100");
  auto* bytes = reinterpret_cast<unsigned char*>(&machine->events());
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < sizeof(events::Ring); ++i) bytes[i] = static_cast<unsigned char>(i * 31 + round * 7);
    std::uint64_t cursor = static_cast<std::uint64_t>(round) * 1000;
    events::Published event{};
    std::size_t taken = 0;
    while (events::take(machine->events(), cursor, event)) ++taken;
    EXPECT_LE(taken, events::Ring::kCapacity);
    events::publish(machine->events(), 0, {8, 13, 0, 0});
  }
}

class FaultsInAFile : public StateFile {};

TEST_F(FaultsInAFile, SurviveThatAndAreSeenByTheNextProcess) {
  const auto file = make(3);
  ASSERT_EQ(inject(*attach(file), "gpu=1 off-bus"), "");
  const auto machine = attach(file);
  EXPECT_EQ(count_visible(*machine), 2U);
  EXPECT_EQ(place_of_index(*machine, 1), 2U);
  EXPECT_EQ(index_of_place(*machine, 2), 1U);
  EXPECT_EQ(place_of_index(*machine, 2), kMaxGpus);
}

}  // namespace
}  // namespace nvmlkit::sim::faults
