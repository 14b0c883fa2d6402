// Every chain of the registry: newest first, older ones only where the newer one is missing or refuses its struct, and
// the answer says who gave it.
#include <gtest/gtest.h>

#include "scripted_driver.hpp"

namespace nvmlkit::nvml::test {
namespace {

using interpose::Call;

constexpr std::size_t kNobody = ~std::size_t{0};

// Which version of the method a call is; kNobody when it is none.
std::size_t version_of(const Method& method, std::size_t symbol, unsigned int struct_version) {
  for (std::size_t i = 0; i < method.candidates.size(); ++i) {
    const Candidate& candidate = method.candidates[i];
    const bool same_struct =
        candidate.struct_version == 0 || struct_version == 0 || candidate.struct_version == struct_version;
    if (same_struct && symbols()[symbol].name == std::string(candidate.function)) return i;
  }
  return kNobody;
}

// In the order in which they were asked. What a method asks beside its own versions, as the driver's, is not among
// them.
std::vector<std::size_t> versions_asked(const Method& method, const ScriptedDriver& driver) {
  std::vector<std::size_t> versions;
  for (const auto& asked : driver.asked) {
    const std::size_t version = version_of(method, asked.symbol, asked.struct_version);
    if (version != kNobody && (versions.empty() || versions.back() != version)) versions.push_back(version);
  }
  return versions;
}

std::vector<std::size_t> count_to(std::size_t last) {
  std::vector<std::size_t> numbers(last + 1);
  for (std::size_t i = 0; i <= last; ++i) numbers[i] = i;
  return numbers;
}

struct Walk {
  Answer answer;
  std::vector<std::size_t> asked;
};

class Chains : public testing::Test {
 protected:
  // Calls a method of a driver whose versions before `first` answer `refusal`, and all others `code`.
  Walk walk(const Method& method, std::size_t first, Errc refusal, Errc code,
            const std::set<std::string>& hidden = {}) {
    const auto driver = std::make_shared<ScriptedDriver>();
    const auto wrapped = interpose::wrap(whole_table(hidden), driver).value();
    const Objects objects(Library::from_table(wrapped.table()).value());
    driver->script(method.candidates, [&](const Call& call) {
      const std::size_t version = version_of(method, call.symbol(), struct_version_of(call));
      return version < first ? refusal : code;
    });
    Walk result{call_of(method)(objects), versions_asked(method, *driver)};
    for (const auto& asked : driver->asked) reached_.insert(symbols()[asked.symbol].name);
    return result;
  }

  // The method answered from version `version`, after it was asked for in that order.
  void expect_answer_of(const Method& method, std::size_t version, const Walk& walk,
                        const std::vector<std::size_t>& order) {
    EXPECT_EQ(walk.asked, order);
    if (!walk.answer.tells) return;
    // Of a method written by hand, an answer of zeros may be malformed: then it is at least the right one's.
    if (method.call) {
      EXPECT_TRUE(walk.answer.ok) << walk.answer.message;
    }
    if (!walk.answer.ok) {
      EXPECT_NE(walk.answer.code, Errc::function_not_found);
      EXPECT_NE(walk.answer.code, Errc::argument_version_mismatch);
      return;
    }
    if (method.candidates.size() == 1) return;
    EXPECT_EQ(walk.answer.symbol, method.candidates[version].function);
    if (method.candidates[version].struct_version != 0) {
      EXPECT_EQ(walk.answer.struct_version, method.candidates[version].struct_version);
    }
  }

  std::set<std::string> reached_;
};

bool has_symbol(const Method& method, const std::string& symbol, std::size_t from) {
  for (std::size_t i = from; i < method.candidates.size(); ++i)
    if (symbol == method.candidates[i].function) return true;
  return false;
}

TEST_F(Chains, GoToTheNewestThatThereIs) {
  std::size_t chains = 0;
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.cpp);
    ASSERT_NE(call_of(method), nullptr) << "write it into by_hand_calls.cpp";
    chains += method.candidates.size() > 1;
    for (std::size_t version = 0; version < method.candidates.size(); ++version) {
      SCOPED_TRACE(method.candidates[version].function);
      // Older drivers lack the newer symbols, and refuse newer structs of the symbols that they have.
      std::set<std::string> hidden;
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i <= version; ++i)
        if (has_symbol(method, method.candidates[i].function, version))
          order.push_back(i);
        else
          hidden.insert(method.candidates[i].function);
      expect_answer_of(method, version, walk(method, version, Errc::argument_version_mismatch, Errc::success, hidden),
                       order);
      // A symbol that is there and answers that it is not, and one that refuses its struct.
      for (const Errc refusal : {Errc::function_not_found, Errc::argument_version_mismatch})
        expect_answer_of(method, version, walk(method, version, refusal, Errc::success), count_to(version));
    }
  }
  EXPECT_GT(chains, 30u);
  // Walking the chains calls every function that a header declares, except provisional ones.
  const std::set<std::string> provisional{"nvmlDeviceGetGpuUptime_v1", "nvmlDeviceGetNvLinkInfo_v3"};
  for (const Symbol& symbol : symbols())
    if (*symbol.since) {
      EXPECT_EQ(reached_.count(symbol.name), 1 - provisional.count(symbol.name)) << symbol.name;
    }
}

TEST_F(Chains, EndAtAnyOtherError) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.cpp);
    for (std::size_t version = 0; version < method.candidates.size(); ++version)
      for (const Errc code : {Errc::not_supported, Errc::no_permission, Errc::gpu_is_lost, Errc::invalid_argument,
                              Errc::unknown, static_cast<Errc>(12345)}) {
        const Walk result = walk(method, version, Errc::function_not_found, code);
        EXPECT_EQ(result.asked, count_to(version)) << name_of(code);
        if (!result.answer.tells) continue;
        EXPECT_EQ(result.answer.code, code) << result.answer.message;
        EXPECT_EQ(result.answer.function, method.candidates[version].function);
      }
  }
}

TEST_F(Chains, ReportTheNewestWhereNobodyCan) {
  for (const Method& method : methods())
    for (const Errc refusal : {Errc::function_not_found, Errc::argument_version_mismatch}) {
      SCOPED_TRACE(method.cpp);
      const std::size_t last = method.candidates.size() - 1;
      const Walk result = walk(method, last + 1, refusal, Errc::success);
      EXPECT_EQ(result.asked, count_to(last));
      if (!result.answer.tells) continue;
      EXPECT_EQ(result.answer.code, refusal);
      EXPECT_EQ(result.answer.function, method.candidates.front().function);
    }
}

}  // namespace
}  // namespace nvmlkit::nvml::test
