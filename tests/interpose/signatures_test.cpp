#include <gtest/gtest.h>

#include <regex>

#include "driver.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

const Signature& signature_of(const char* name) {
  return signatures()[static_cast<std::size_t>(find_symbol(name) - symbols().data())];
}

TEST(Signatures, ThereIsOnePerSymbol) { EXPECT_EQ(signatures().size(), kSymbolCount); }

TEST(Signatures, LengthsAreArgumentsOfTheSameFunction) {
  for (const Signature& signature : signatures())
    for (const Argument& argument : signature.arguments) {
      EXPECT_LT(argument.length, static_cast<int>(signature.arguments.size())) << argument.name;
      if (argument.length < 0) continue;
      const Argument& length = signature.arguments[static_cast<std::size_t>(argument.length)];
      EXPECT_TRUE(length.kind == ArgumentKind::value || length.size == 4) << argument.name;
    }
}

TEST(Signatures, PointersSayHowMuchStandsBehindThem) {
  for (std::size_t i = 0; i < kSymbolCount; ++i)
    for (const Argument& argument : signatures()[i].arguments) {
      const bool pointer = argument.kind != ArgumentKind::value && argument.kind != ArgumentKind::handle;
      EXPECT_EQ(argument.size > 0, pointer) << symbols()[i].name << ' ' << argument.name;
    }
}

// Nobody who looks around may change anything.
TEST(Signatures, NothingThatReadsHasANameThatChanges) {
  const std::regex changing(
      "Set[A-Z](?!ize)|Create(?!able)|Destroy|Clear|Reset|Free|Alloc|Remove|Modify|Discover|Register|Init$|Shutdown|"
      "Wait|Unload|Activate");
  std::size_t reading = 0;
  for (std::size_t i = 0; i < kSymbolCount; ++i) {
    if (signatures()[i].effect != Effect::reads) continue;
    ++reading;
    EXPECT_FALSE(std::regex_search(symbols()[i].name, changing)) << symbols()[i].name;
  }
  EXPECT_GT(reading, 290u);
}

TEST(Signatures, TellTheKindsApart) {
  const auto kinds_of = [](const char* name) {
    std::vector<ArgumentKind> kinds;
    for (const Argument& argument : signature_of(name).arguments) kinds.push_back(argument.kind);
    return kinds;
  };
  using enum ArgumentKind;
  EXPECT_EQ(kinds_of("nvmlDeviceGetName"), (std::vector{handle, text_out, value}));
  EXPECT_EQ(kinds_of("nvmlDeviceGetHandleByUUID"), (std::vector{text, output}));
  EXPECT_EQ(kinds_of("nvmlDeviceGetFieldValues"), (std::vector{handle, value, keyed_array}));
  EXPECT_EQ(kinds_of("nvmlDeviceGetGpuInstances"), (std::vector{handle, value, array, output}));
  EXPECT_EQ(kinds_of("nvmlDeviceGetComputeRunningProcesses_v3"), (std::vector{handle, inout, array}));
  EXPECT_EQ(signature_of("nvmlDeviceGetMemoryInfo_v2").version, 0x02000028u);
  EXPECT_TRUE(signature_of("nvmlGpmMetricsGet").holds_pointers);
  EXPECT_EQ(signature_of("nvmlUnitGetTemperature").subject, Subject::other);
}

}  // namespace
}  // namespace nvmlkit::nvml::interpose
