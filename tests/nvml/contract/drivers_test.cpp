// Every method on drivers of older branches: the simulated one with the exports of 535, 550 and 555, and NVIDIA's own
// libraries where there are any. The law of a chain holds without knowing what the driver has to say.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "methods.hpp"
#include "scripted_driver.hpp"

namespace nvmlkit::nvml::test {
namespace {

using interpose::Call;
using interpose::Word;

// Calls on, and remembers what of one method was called.
class Listener : public interpose::Hook {
 public:
  Word on_call(const Call& call) noexcept override {
    const unsigned int version = struct_version_of(call);
    const Word answer = call.forward();
    if (call.returns_code()) asked.push_back({call.symbol(), version, static_cast<Errc>(answer)});
    return answer;
  }
  std::vector<ScriptedDriver::Asked> asked;
};

bool has(const Table& table, const std::string& function) {
  void* at = nullptr;
  std::memcpy(&at, reinterpret_cast<const char*>(&table) + find_symbol(function)->offset, sizeof at);
  return at != nullptr;
}

bool passes_on(Errc code) { return code == Errc::function_not_found || code == Errc::argument_version_mismatch; }

struct Seen {
  int answered = 0;  // by any version
  int by_older = 0;  // by one that is not the newest
  int missing = 0;   // by nobody
};

// Holds one method to the law of its chain.
void check(const Method& method, const Table& inner, const Objects& objects, Listener& listener, Seen& seen) {
  listener.asked.clear();
  const Answer answer = call_of(method)(objects);
  std::vector<std::string> there;
  for (const Candidate& candidate : method.candidates)
    if (has(inner, candidate.function)) there.push_back(candidate.function);

  // What it asked of its own chain, version by version.
  std::vector<ScriptedDriver::Asked> asked;
  for (const auto& each : listener.asked) {
    const std::string name = symbols()[each.symbol].name;
    const bool own = std::find(there.begin(), there.end(), name) != there.end();
    const bool again =
        !asked.empty() && asked.back().symbol == each.symbol && asked.back().struct_version == each.struct_version;
    if (own && again)
      asked.back() = each;
    else if (own)
      asked.push_back(each);
  }
  if (there.empty()) {
    if (!answer.tells) return;
    ++seen.missing;
    EXPECT_EQ(answer.code, Errc::function_not_found) << answer.message;
    return;
  }
  if (asked.empty()) return;  // the object that it is about could not be created
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(symbols()[asked[i].symbol].name, there[i]) << "newest first, none left out";
    if (i + 1 < asked.size()) {
      EXPECT_TRUE(passes_on(asked[i].code)) << there[i] << " answered " << name_of(asked[i].code);
    } else if (passes_on(asked[i].code)) {
      EXPECT_EQ(asked.size(), there.size()) << "an older version was not tried";
    }
  }
  if (!answer.ok || method.candidates.size() == 1) return;
  ++seen.answered;
  EXPECT_EQ(answer.symbol, symbols()[asked.back().symbol].name);
  seen.by_older += answer.symbol != method.candidates.front().function || asked.size() > 1;
}

Seen check_all(const Table& inner) {
  const auto listener = std::make_shared<Listener>();
  const auto wrapped = interpose::wrap(inner, listener).value();
  const Library library = Library::from_table(wrapped.table()).value();
  Objects objects(library);
  if (const auto gpu = library.device(0)) objects.device = *gpu;
  Seen seen;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.cpp);
    check(method, inner, objects, *listener, seen);
  }
  return seen;
}

class Drivers : public testing::TestWithParam<const char*> {};

#ifdef NVMLKIT_TEST_IMPERSONATE
TEST_P(Drivers, Impersonated) {
  ::setenv("NVMLKIT_MACHINE", "l40s", 1);  // one of the methods switches MIG on where there is MIG
  const std::string path = std::string(NVMLKIT_TEST_IMPERSONATE) + "/" + GetParam() + "/libnvidia-ml.so.1";
  const LoadedLibrary loaded = load({.path = path}).value();
  const Seen seen = check_all(loaded.table);
  EXPECT_GT(seen.missing, 20);
  EXPECT_GT(seen.answered, 10);
  EXPECT_GT(seen.by_older, 0);
}
#endif

// Without a GPU they answer that they are not initialised, which is an answer. An event set is there all the same: else
// nothing could be said of the functions that need one and are missing.
TEST_P(Drivers, OfNvidia) {
  const std::string variable = std::string("NVMLKIT_TEST_LIB_") + GetParam();
  const char* path = std::getenv(variable.c_str());
  if (!path || !std::filesystem::exists(path)) GTEST_SKIP() << variable << ": scripts/setup --print-env";
  Table table = load({.path = path}).value().table;
  table.Init_v2 = [] { return abi::NVML_SUCCESS; };
  table.Shutdown = [] { return abi::NVML_SUCCESS; };
  table.EventSetCreate = [](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(std::uintptr_t{0x2000});
    return abi::NVML_SUCCESS;
  };
  table.EventSetFree = [](abi::nvmlEventSet_t) { return abi::NVML_SUCCESS; };
  EXPECT_GT(check_all(table).missing, 20);
}

INSTANTIATE_TEST_SUITE_P(Branches, Drivers, testing::Values("535", "550", "555"),
                         [](const auto& branch) { return std::string("R").append(branch.param); });

}  // namespace
}  // namespace nvmlkit::nvml::test
