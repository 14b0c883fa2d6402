// The ready scenarios: each runs in virtual time on its machine, twice with equal results.
#include "scenario/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenario/report.hpp"
#include "scenario_support.hpp"

namespace nvmlkit::scenario {
namespace {

std::string results_of(const LibraryScenario& entry) {
  const auto machine = make_machine(std::string(entry.machine()), 4);
  const auto plan = plan_of(std::string(entry.text), *machine);
  if (!plan) return problem_of(plan);
  const auto results = play_all(std::string(entry.text), *machine);
  for (const auto& result : results)
    EXPECT_TRUE(result.outcome == Outcome::done || result.outcome == Outcome::left_out) << line_of(*plan, result);
  EXPECT_TRUE(has_passed(results));
  return as_json(*plan, results).dump() + as_junit(*plan, results);
}

class Library : public testing::TestWithParam<LibraryScenario> {};

TEST_P(Library, RunsToItsEndAndTwiceTheSame) {
  const auto& entry = GetParam();
  EXPECT_FALSE(entry.machine().empty()) << "the first line is '# machine: NAME'";
  EXPECT_EQ(results_of(entry), results_of(entry));
}

TEST_P(Library, HasADescriptionWithItsSourceOrAWorkload) {
  const auto scenario = read(std::string(GetParam().name), GetParam().text);
  ASSERT_EQ(problem_of(scenario), "");
  EXPECT_FALSE(scenario->description.empty());
  EXPECT_TRUE(scenario->end_s) << "a ready scenario ends by itself";
  const bool breaks = GetParam().text.find("fault") != std::string_view::npos;
  EXPECT_TRUE(!breaks || scenario->description.find("Source") != std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Library, testing::ValuesIn(library()), [](const auto& at) {
  std::string name(at.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(LibraryNames, AreFoundOrTheNearestIsNamed) {
  EXPECT_TRUE(find_in_library("gpu-falls-off"));
  const auto problem = find_in_library("gpu-fall-off");
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().nearest, "gpu-falls-off");
  EXPECT_TRUE(read_file_or_name("power-brake"));
  EXPECT_FALSE(read_file_or_name("./power-brake"));
  EXPECT_FALSE(read_file_or_name("power-brake.yaml"));
}

}  // namespace
}  // namespace nvmlkit::scenario
