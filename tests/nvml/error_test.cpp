#include <gtest/gtest.h>

#include <nvmlkit/nvml.hpp>

namespace nvmlkit::nvml {
namespace {

TEST(Error, CodesHaveACategoryThatNeedsNoDriver) {
  const std::error_code code = Errc::gpu_is_lost;
  EXPECT_STREQ(code.category().name(), "nvml");
  EXPECT_EQ(code.value(), 15);
  EXPECT_FALSE(code.message().empty());
  EXPECT_TRUE(std::error_code(Errc::no_permission) == std::errc::operation_not_permitted);
}

TEST(Error, EveryCodeOfTheApiHasANameAndAText) {
  for (int code = 0; code <= 30; ++code) {
    EXPECT_EQ(name_of(static_cast<Errc>(code)).find("code "), std::string::npos) << code;
    EXPECT_EQ(nvml_category().message(code).find("NVML error"), std::string::npos) << code;
  }
}

TEST(Error, UnknownNumbersKeepTheirNumber) {
  EXPECT_EQ(nvml_category().message(4242), "NVML error 4242");
  EXPECT_EQ(make_error_code(static_cast<Errc>(4242)).value(), 4242);
}

TEST(Error, ValueThrowsWithFunctionAndAdvice) {
  const Result<int> result = Failure(Errc::no_permission, "nvmlDeviceSetEccMode");
  try {
    result.value();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::no_permission);
    EXPECT_STREQ(error.function(), "nvmlDeviceSetEccMode");
    EXPECT_EQ(std::string(error.what()).rfind("nvmlDeviceSetEccMode: ", 0), 0u);
    EXPECT_FALSE(error.advice().empty());
  }
  EXPECT_THROW(result.value(), std::system_error);
}

TEST(Error, OptionalIfUnsupported) {
  EXPECT_EQ(optional_if_unsupported(Result<int>(3)).value(), 3);
  EXPECT_EQ(optional_if_unsupported(Result<int>(Failure(Errc::not_supported))).value(), std::nullopt);
  EXPECT_FALSE(optional_if_unsupported(Result<int>(Failure(Errc::gpu_is_lost))));
}

TEST(Result, StepsChain) {
  const auto half = [](int x) { return x % 2 ? Result<int>(Failure(Errc::invalid_argument)) : Result<int>(x / 2); };
  EXPECT_EQ(Result<int>(8).and_then(half).and_then(half).value(), 2);
  EXPECT_EQ(Result<int>(3).and_then(half).error().code(), Errc::invalid_argument);
  EXPECT_EQ(Result<int>(3).transform([](int x) { return x + 0.5; }).value(), 3.5);
}

TEST(Loader, ListsEveryPathAndReason) {
  LoadOptions options;
  options.path = "/nonexistent/libnvidia-ml.so.1";
  const auto loaded = load(options);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), Errc::library_not_found);
  EXPECT_NE(loaded.error().message().find("/nonexistent/libnvidia-ml.so.1: "), std::string::npos);
  EXPECT_FALSE(loaded.error().advice().empty());
}

TEST(Loader, ALibraryWithoutNvmlIsNone) {
  LoadOptions options;
  options.path = "libm.so.6";
  const auto loaded = load(options);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message().find("exports no NVML function"), std::string::npos);
}

TEST(Loader, OrderOfCandidates) {
  ::unsetenv("NVMLKIT_NVML_LIBRARY");
  const auto names = library_candidates();
  ASSERT_GE(names.size(), 3u);
  EXPECT_EQ(names.front(), "libnvidia-ml.so.1");
  EXPECT_EQ(names.back(), "libnvidia-ml.so");
  ::setenv("NVMLKIT_NVML_LIBRARY", "/some/lib.so", 1);
  EXPECT_EQ(library_candidates(), std::vector<std::string>{"/some/lib.so"});
  ::unsetenv("NVMLKIT_NVML_LIBRARY");
}

TEST(Table, EverySymbolIsDescribedInTheOrderOfTheTable) {
  ASSERT_EQ(symbols().size(), kSymbolCount);
  for (std::size_t i = 0; i < symbols().size(); ++i) EXPECT_EQ(symbols()[i].offset, i * sizeof(void*));
  EXPECT_STREQ(symbol_of(&Table::DeviceGetName).name, "nvmlDeviceGetName");
  EXPECT_EQ(find_symbol("nvmlDeviceGetNmae"), nullptr);
}

TEST(Table, FillAsksForEverySymbolOnce) {
  Table table;
  std::size_t asked = 0;
  const std::size_t found = fill(table, [&](const char* name) -> void* {
    ++asked;
    return std::string(name) == "nvmlShutdown" ? reinterpret_cast<void*>(1) : nullptr;
  });
  EXPECT_EQ(asked, kSymbolCount);
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(reinterpret_cast<void*>(table.Shutdown), reinterpret_cast<void*>(1));
  EXPECT_EQ(table.Init_v2, nullptr);
}

}  // namespace
}  // namespace nvmlkit::nvml
