// Every method on a driver that lacks all its functions.
#include <gtest/gtest.h>

#include "scripted_driver.hpp"

namespace nvmlkit::nvml::test {
namespace {

TEST(Missing, NamesTheSymbolAndTheHeaderThatBroughtIt) {
  std::size_t named = 0;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.cpp);
    const auto wrapped = interpose::wrap(ground_table(method.candidates), std::make_shared<ScriptedDriver>()).value();
    const Answer answer = call_of(method)(Objects(Library::from_table(wrapped.table()).value()));
    // Opening without nvmlInit_v2 is a test of Library; what ends in silence has nothing to say.
    const std::string function = method.candidates.front().function;
    if (function == "nvmlInit_v2" || !answer.tells) continue;
    ++named;
    EXPECT_EQ(answer.code, Errc::function_not_found);
    EXPECT_EQ(answer.function, function);
    const std::string since = std::string("(declared since NVML ") + find_symbol(function)->since + ")";
    EXPECT_NE(answer.message.find(function), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find(since), std::string::npos) << answer.message;
  }
  EXPECT_EQ(named, methods().size() - 4);  // nvmlInit_v2, and the ends of three kinds of objects
}

TEST(Missing, AClosedLibraryAnswersEveryMethod) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.cpp);
    const auto wrapped = interpose::wrap(whole_table(), std::make_shared<ScriptedDriver>()).value();
    Objects objects(Library::from_table(wrapped.table()).value());
    ASSERT_TRUE(objects.library.close());
    const Answer answer = call_of(method)(objects);
    const std::string function = method.candidates.front().function;
    if (function.starts_with("nvmlInit") || function == "nvmlShutdown") continue;  // these open one of their own
    EXPECT_EQ(answer.code, Errc::library_closed) << answer.message;
  }
}

}  // namespace
}  // namespace nvmlkit::nvml::test
