// Machines of their own, and scenarios from text, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenario/plan.hpp"
#include "scenario/play.hpp"
#include "scenario/read.hpp"
#include "scenario/run.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::scenario {

inline std::unique_ptr<sim::Machine> make_machine(const std::string& name = "h100", int gpus = 8) {
  auto loaded = sim::load_machine({{"NVMLKIT_MACHINE", name}, {"NVMLKIT_GPU_COUNT", std::to_string(gpus)}});
  EXPECT_TRUE(loaded);
  begin_anew(**loaded, 0);
  return std::move(*loaded);
}

inline constexpr std::int64_t kSecond = 1'000'000'000;

// The message of a problem, empty for none.
template <class T>
std::string problem_of(const sim::Expected<T>& result) {
  return result ? "" : sim::text_of(result.error());
}

inline sim::Expected<Plan> plan_of(const std::string& yaml, const sim::Machine& machine, NodeIdentity node = {}) {
  auto scenario = read("s.yaml", yaml);
  if (!scenario) return sim::fail(scenario.error());
  return Plan::make(std::move(*scenario), std::move(node), machine);
}

// All results of a scenario that is played on a machine whose time stands still.
inline std::vector<Result> play_all(const std::string& yaml, const sim::Machine& machine, NodeIdentity node = {}) {
  auto plan = plan_of(yaml, machine, std::move(node));
  EXPECT_EQ(problem_of(plan), "");
  std::vector<Result> out;
  if (!plan) return out;
  Run run(std::move(*plan), machine, {[] {}, [&](const Result& result) { out.push_back(result); }});
  EXPECT_EQ(problem_of(play(run, machine)), "");
  return out;
}

inline std::vector<Outcome> outcomes_of(const std::vector<Result>& results) {
  std::vector<Outcome> out;
  for (const auto& each : results) out.push_back(each.outcome);
  return out;
}

}  // namespace nvmlkit::scenario
