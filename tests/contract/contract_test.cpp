// Every exported function, checked against its contract.
#include <gtest/gtest.h>

#include <map>

#include "call.hpp"

namespace nvmlkit::contract {
namespace {

bool is_pointer(const Argument& argument) {
  return argument.kind == Argument::pointer || argument.kind == Argument::length_pointer ||
         argument.kind == Argument::versioned;
}

bool has(const Contract& contract, Argument::Kind kind) {
  for (const auto& argument : contract.arguments)
    if (argument.kind == kind) return true;
  return false;
}

std::size_t index_of(const Contract& contract, Argument::Kind kind) {
  for (std::size_t i = 0; i < contract.arguments.size(); ++i)
    if (contract.arguments[i].kind == kind) return i;
  return contract.arguments.size();
}

// What a function returns that looks at the abilities of the GPU before its arguments.
int refused(const Contract& contract, int refusal, int otherwise) {
  if (!contract.needs) return refusal;
  return Call(contract).run() == kNotSupported ? kNotSupported : otherwise;
}

constexpr unsigned int kMigGpu = 1;  // of machine.yaml, in MIG mode

class Initialized : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(Library::get().call("nvmlInit_v2"), kSuccess); }
  static void TearDownTestSuite() { ASSERT_EQ(Library::get().call("nvmlShutdown"), kSuccess); }
};

TEST(Table, HasEverySymbol) {
  EXPECT_EQ(contracts().size(), 439U);
  for (const auto& contract : contracts()) EXPECT_NO_THROW(Library::get().symbol(contract.name)) << contract.name;
}

TEST(BeforeInit, EveryFunctionSaysUninitialized) {
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.before_init) continue;
    const Contract without_arguments{contract.name, "", {}, {}, 0, true, {}, {}, 0, false};
    Call call(without_arguments);
    EXPECT_EQ(call.run(), kUninitialized) << contract.name;
    ++checked;
  }
  EXPECT_EQ(checked, 432);
}

// As the real libraries do, see clients.before_init.
TEST(BeforeInit, ShutdownSucceeds) { EXPECT_EQ(Library::get().call("nvmlShutdown"), kSuccess); }

TEST(Lifecycle, InitIsCounted) {
  auto& library = Library::get();
  unsigned int count = 0;
  const auto get_count = reinterpret_cast<int (*)(unsigned int*)>(library.symbol("nvmlDeviceGetCount_v2"));
  EXPECT_EQ(library.call("nvmlInit_v2"), kSuccess);
  EXPECT_EQ(library.call("nvmlInit_v2"), kSuccess);
  EXPECT_EQ(library.call("nvmlShutdown"), kSuccess);
  EXPECT_EQ(get_count(&count), kSuccess);
  EXPECT_EQ(library.call("nvmlShutdown"), kSuccess);
  EXPECT_EQ(get_count(&count), kUninitialized);
  EXPECT_EQ(library.call("nvmlShutdown"), kUninitialized);
}

TEST_F(Initialized, NullPointersAreRefused) {
  int checked = 0;
  for (const auto& contract : contracts())
    for (std::size_t i = 0; i < contract.arguments.size(); ++i) {
      if (!is_pointer(contract.arguments[i])) continue;
      Call call(contract);
      call.set(i, 0);
      const auto refusal = contract.arguments[i].refusal;
      const bool first = refusal == kInvalidArgument;  // also of a GPU that lacks what the function needs
      EXPECT_EQ(call.run(), first ? kInvalidArgument : refused(contract, kInvalidArgument, kInvalidArgument))
          << contract.name << " with null " << contract.arguments[i].name;
      ++checked;
    }
  EXPECT_GT(checked, 380);
}

TEST_F(Initialized, ForeignHandlesAreRefused) {
  int local = 0;
  const std::uintptr_t device = first_device();
  const std::uintptr_t foreign[] = {
      0, 1, device + 1, device + (16U << 20), reinterpret_cast<std::uintptr_t>(&local), ~std::uintptr_t{0}};
  int checked = 0;
  for (const auto& contract : contracts())
    for (std::size_t i = 0; i < contract.arguments.size(); ++i) {
      const auto kind = contract.arguments[i].kind;
      if (kind > Argument::vgpu_instance) continue;
      for (const auto handle : foreign) {
        Call call(contract);
        call.set(i, handle);
        // Any number but 0 may be an active vGPU.
        const bool sought = kind == Argument::vgpu_instance && handle != 0;
        EXPECT_EQ(call.run(), sought ? kNotFound : kInvalidArgument) << contract.name << " on " << handle;
        ++checked;
      }
    }
  EXPECT_GT(checked, 2000);
}

// The vGPU of machine.yaml answers what is asked of it, and so does its type.
TEST_F(Initialized, VgpusAnswer) {
  int answered = 0;
  for (const auto& contract : contracts()) {
    if (!has(contract, Argument::vgpu_type) && !has(contract, Argument::vgpu_instance)) continue;
    Call call(contract);
    const int result = call.run();
    const bool asks_for_a_process = contract.name == std::string("nvmlVgpuInstanceGetAccountingStats");
    const bool needs_mdev = contract.name == std::string("nvmlVgpuInstanceGetMdevUUID");
    const bool needs_room = contract.name == std::string("nvmlVgpuInstanceGetMetadata");
    EXPECT_EQ(result, asks_for_a_process ? kNotFound
                      : needs_mdev       ? kNotSupported
                      : needs_room       ? kInsufficientSize
                                         : kSuccess)
        << contract.name;
    ++answered;
  }
  EXPECT_EQ(answered, 40);
}

TEST_F(Initialized, WrongStructVersionsAreRefused) {
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (!has(contract, Argument::versioned) || has(contract, Argument::foreign)) continue;
    for (const std::uint32_t version : {0U, contract.versions.front() + 1, 0x7F000001U}) {
      Call call(contract);
      call.set_number(index_of(contract, Argument::versioned), version);
      EXPECT_EQ(call.run(), refused(contract, contract.mismatch, contract.mismatch))
          << contract.name << " with version " << std::hex << version;
      ++checked;
    }
  }
  EXPECT_GT(checked, 130);
}

TEST_F(Initialized, EveryKnownStructVersionIsAccepted) {
  for (const auto& contract : contracts())
    for (const auto version : contract.versions) {
      if (!has(contract, Argument::versioned) || has(contract, Argument::foreign)) continue;
      Call call(contract);
      call.set_number(index_of(contract, Argument::versioned), version);
      EXPECT_NE(call.run(), kVersionMismatch) << contract.name << " with version " << std::hex << version;
    }
}

TEST_F(Initialized, UnknownEnumValuesAreRefused) {
  int checked = 0;
  for (const auto& contract : contracts())
    for (std::size_t i = 0; i < contract.arguments.size(); ++i) {
      if (contract.arguments[i].kind != Argument::enumeration) continue;
      for (const std::uint32_t value : {9999U, 0x80000000U}) {
        Call call(contract);
        call.set(i, value);
        const auto refusal = contract.arguments[i].refusal;
        if (refusal < 0) continue;
        const bool own = refusal != kInvalidArgument && !contract.needs;
        EXPECT_EQ(call.run(), own ? refusal : refused(contract, kInvalidArgument, kInvalidArgument))
            << contract.name << " with " << contract.arguments[i].name << " " << value;
        ++checked;
      }
    }
  EXPECT_GT(checked, 80);
}

TEST_F(Initialized, NothingIsWrittenBeyondTheCallersMemory) {
  for (const auto& contract : contracts()) {
    if (contract.before_init && contract.subject == std::string("lifecycle")) continue;
    Call call(contract);
    const int result = call.run();
    const bool string = contract.protocol == Protocol::string || contract.protocol == Protocol::string_inout;
    const char* overrun = call.overrun(string ? Call::kLength : 0);
    EXPECT_EQ(overrun, nullptr) << contract.name << " (" << result << ") wrote beyond " << overrun;
  }
}

TEST_F(Initialized, AnswersAreWhatTheRegistrySays) {
  for (const auto& contract : contracts()) {
    if (has(contract, Argument::foreign)) continue;  // refused before, see ForeignHandlesAreRefused
    Call call(contract);
    if (contract.answer == Answer::unsupported || contract.answer == Answer::later) {
      EXPECT_EQ(call.run(), contract.result) << contract.name;
    } else if (contract.answer == Answer::read) {
      const int result = call.run();
      EXPECT_TRUE(result == kSuccess || result == kNotSupported) << contract.name << " answered " << result;
    }
  }
}

// No protocol is used that this test does not bring to an answer.
TEST_F(Initialized, EveryProtocolOfASimulatedFunctionAnswers) {
  std::map<Protocol, int> used;
  std::map<Protocol, int> answered;
  for (const auto& contract : contracts()) {
    const bool simulated = contract.answer == Answer::read || contract.answer == Answer::code;
    if (!simulated || contract.before_init || has(contract, Argument::foreign)) continue;
    ++used[contract.protocol];
    for (const unsigned int gpu : {0U, kMigGpu}) {
      Call call(contract);
      if (const auto at = index_of(contract, Argument::device); at < contract.arguments.size())
        call.set(at, device(gpu));
      if (contract.protocol == Protocol::by_key && std::string(contract.name).find("PciBusId") != std::string::npos)
        std::memcpy(call.buffer(0), "0:0:0", 6);
      const int result = call.run();
      answered[contract.protocol] += result == kSuccess || result == kNotFound || result == kInsufficientSize;
    }
  }
  EXPECT_GE(used.size(), 8U);
  for (const auto& [protocol, count] : used)
    EXPECT_GT(answered[protocol], 0) << "protocol " << static_cast<int>(protocol) << " of " << count << " functions";
}

TEST_F(Initialized, StringsNeedTheirRoom) {
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.protocol != Protocol::string || has(contract, Argument::foreign)) continue;
    Call enough(contract);
    if (enough.run() != kSuccess) continue;
    for (const std::uintptr_t length : {0U, 1U}) {
      Call call(contract);
      call.set(index_of(contract, Argument::length_value), length);
      EXPECT_EQ(call.run(), kInsufficientSize) << contract.name << " with length " << length;
    }
    ++checked;
  }
  EXPECT_GE(checked, 8);
}

// A count too small is told the right one; the right one is enough.
TEST_F(Initialized, CountsTooSmallAreToldTheRightOne) {
  int checked = 0;
  for (const auto& contract : contracts()) {
    if (contract.protocol != Protocol::count_probe || has(contract, Argument::foreign)) continue;
    const auto count = index_of(contract, Argument::length_pointer);
    const auto array = index_of(contract, Argument::optional_pointer);
    Call probe(contract);
    probe.set_number(count, 0);
    probe.set(array, 0);
    if (contract.name == std::string("nvmlDeviceGetSupportedGraphicsClocks")) probe.set(1, 2619);
    const int result = probe.run();
    if (result != kInsufficientSize) {
      EXPECT_TRUE(result == kSuccess || result == kNotSupported || result == kNotFound)
          << contract.name << " " << result;
      continue;
    }
    const auto needed = probe.number(count);
    ASSERT_GT(needed, 0U) << contract.name;
    probe.set(array, reinterpret_cast<std::uintptr_t>(probe.buffer(array)));
    probe.set_number(count, needed - 1);
    EXPECT_EQ(probe.run(), kInsufficientSize) << contract.name;
    EXPECT_EQ(probe.number(count), needed) << contract.name;
    EXPECT_EQ(probe.run(), kSuccess) << contract.name;
    EXPECT_EQ(probe.number(count), needed) << contract.name;
    ++checked;
  }
  EXPECT_GE(checked, 12);
}

}  // namespace
}  // namespace nvmlkit::contract
