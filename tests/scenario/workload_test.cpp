// Loads whose shape is read from a recording.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "scenario/library.hpp"
#include "scenario_support.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::scenario {
namespace {

class Workloads : public testing::Test {
 protected:
  Workloads() { std::filesystem::create_directories(folder_); }
  ~Workloads() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

  const std::string folder_ = testing::TempDir() + "workloads" + std::to_string(getpid());
};

constexpr const char* kQuery =
    "index, utilization.gpu [%], utilization.memory [%]\n"
    "0, 90 %, 40 %\n1, 10 %, 5 %\n0, 91 %, 41 %\n1, 20 %, 5 %\n0, 50 %, 40 %\n1, 20 %, 5 %\n0, 0 %, 0 %\n1, 20 %, 5 "
    "%\n";

std::string lines_of(const Scenario& scenario) {
  std::string out;
  for (const auto& step : scenario.steps)
    out += std::to_string(step.earliest_s).substr(0, 4) + " " + step.lines.at(0).text + "; ";
  return out;
}

TEST_F(Workloads, AreLoadsWhereTheUtilizationMoves) {
  write("query.csv", kQuery);
  const auto first = read(folder_ + "/s.yaml", "steps: [{at: 5s, from: query.csv, gpus: 0}]");
  ASSERT_EQ(problem_of(first), "");
  EXPECT_EQ(lines_of(*first), "5.00 load 90% --memory 40%; 7.00 load 50% --memory 40%; 8.00 load off; 9.00 load off; ");
  const auto second = read(folder_ + "/s.yaml", "steps: [{at: 0s, from: query.csv gpu=1}]");
  ASSERT_EQ(problem_of(second), "");
  EXPECT_EQ(lines_of(*second), "0.00 load 10% --memory 5%; 1.00 load 20% --memory 5%; 4.00 load off; ");
}

TEST_F(Workloads, DriveTheGpusOfTheStep) {
  write("query.csv", kQuery);
  const auto machine = make_machine("h100", 2);
  auto scenario =
      read(folder_ + "/s.yaml",
           "steps: [{after: 10s, from: query.csv, gpus: 1}, {at: 11s, expect: gpu=1 utilization.gpu == 90}, "
           "{at: 12500ms, expect: [gpu=1 utilization.gpu == 50, gpu=0 utilization.gpu == 0]}]");
  ASSERT_EQ(problem_of(scenario), "");
  auto plan = Plan::make(std::move(*scenario), {}, *machine);
  ASSERT_EQ(problem_of(plan), "");
  std::vector<Result> results;
  scenario::Run run(std::move(*plan), *machine, {[] {}, [&](const Result& result) { results.push_back(result); }});
  ASSERT_TRUE(play(run, *machine));
  for (const auto& result : results) EXPECT_EQ(result.outcome, Outcome::done) << result.message;
  EXPECT_EQ(results.size(), 6U);
}

TEST_F(Workloads, ThatCannotBeReadNameTheirPlace) {
  write("text.csv", "hello\n");
  write("cold.csv", "index, temperature.gpu\n0, 40\n");
  write("query.csv", kQuery);
  for (const auto& [step, message] :
       {std::pair("from: none.csv", "s.yaml:1:9: '"), std::pair("from: text.csv", "text.csv:1: expected JSON or text"),
        std::pair("from: cold.csv", ":1:9: expected utilization of a GPU"),
        std::pair("from: query.csv gpu=7", "has no GPU 7"),
        std::pair("from: query.csv gpu=x", "expected FILE, or FILE gpu=INDEX"),
        std::pair("from: query.csv, do: heal", "a step with `from` has only"),
        std::pair("from: query.csv, every: 5s", "a step with `from` has only")}) {
    const auto problem = problem_of(read(folder_ + "/s.yaml", "steps: [{" + std::string(step) + "}]"));
    EXPECT_NE(problem.find(message), std::string::npos) << problem;
  }
}

}  // namespace
}  // namespace nvmlkit::scenario
