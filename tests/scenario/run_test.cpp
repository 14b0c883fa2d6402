// Scenarios as they happen, in a time that stands still between the steps.
#include <nlohmann/json.hpp>

#include "scenario/report.hpp"
#include "scenario_support.hpp"
#include "sim/state/follow.hpp"
#include "sim/steering/fault.hpp"
#include "sim/steering/undo.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::scenario {
namespace {

std::vector<std::string> faults_of(const sim::Machine& machine, std::size_t gpu) {
  return sim::steering::describe(machine.gpus()[gpu]);
}

TEST(Run, DoesStepsAtTheirTimes) {
  const auto machine = make_machine();
  const auto results = play_all(R"(
steps:
  - {at: 5s, do: fault gpu=0 off-bus}
  - {after: 2s, do: heal gpu=0}
  - {at: 1s, every: 10s, repeat: 3, gpus: 1, do: load 50%}
)",
                                *machine);
  std::vector<std::int64_t> times;
  for (const auto& each : results) times.push_back(each.began_ns / kSecond);
  EXPECT_EQ(times, (std::vector<std::int64_t>{1, 5, 7, 11, 21}));
  EXPECT_TRUE(has_passed(results));
  EXPECT_EQ(results[0].did, (std::vector<std::string>{"load gpu=1 50%"}));
  EXPECT_TRUE(faults_of(*machine, 0).empty());
}

TEST(Run, WaitsForConditionsAsTheMachineWarmsUp) {
  const auto machine = make_machine();
  const auto results = play_all(R"(
steps:
  - do: load gpu=all 100%
  - {when: gpu 0 thermal.gpu > 40, within: 10m, do: fault gpu=0 xid 13}
  - {when: gpu 0 thermal.gpu > 400, within: 10s}
)",
                                *machine);
  EXPECT_EQ(outcomes_of(results), (std::vector<Outcome>{Outcome::done, Outcome::done, Outcome::failed}));
  EXPECT_GT(results[1].ended_ns, kSecond);
  EXPECT_NE(results[2].message.find("gpu 0 thermal.gpu > 400 did not hold within 10s; seen: gpu 0: "),
            std::string::npos);
  EXPECT_EQ(results[2].ended_ns - results[1].ended_ns, 10 * kSecond);
}

TEST(Run, ReportsExpectations) {
  const auto machine = make_machine();
  const auto results = play_all(R"(
steps:
  - {gpus: 0, do: set thermal.gpu=95, expect: [thermal.gpu == 95, fault == none]}
  - {gpus: 0, expect: thermal.gpu < 90, within: 2s}
)",
                                *machine);
  EXPECT_EQ(outcomes_of(results), (std::vector<Outcome>{Outcome::done, Outcome::failed}));
  EXPECT_EQ(results[1].message, "thermal.gpu < 90 did not hold within 2s; seen: gpu 0: 95");
  EXPECT_FALSE(has_passed(results));
}

TEST(Run, ARefusedCommandIsAFailureWithItsReason) {
  const auto machine = make_machine("t4", 1);
  const auto results = play_all("steps: [{do: [fault gpu=0 nvlink 0 down, heal]}, {do: heal}]", *machine);
  ASSERT_EQ(outcomes_of(results), (std::vector<Outcome>{Outcome::failed, Outcome::done}));
  EXPECT_TRUE(results[0].message.starts_with("fault gpu=0 nvlink 0 down: ")) << results[0].message;
}

TEST(Run, LeavesOut) {
  const auto machine = make_machine();
  const auto results = play_all(R"(
nodes: worker-*
steps:
  - {chance: 0%, do: heal}
  - {if: gpu=0 fault != none, do: heal}
  - {gpus: 0%, do: heal}
  - {nodes: other, at: 3s, do: fault gpu=0 xidd}
  - {after: 1s, do: heal}
)",
                                *machine, {true, "worker-1", {}});
  EXPECT_EQ(outcomes_of(results), (std::vector<Outcome>{Outcome::left_out, Outcome::left_out, Outcome::left_out,
                                                        Outcome::elsewhere, Outcome::done}));
  EXPECT_EQ(results[4].began_ns, 4 * kSecond) << "a step of other nodes keeps its place in time";
}

TEST(Run, EndsAtItsEnd) {
  const auto machine = make_machine();
  const auto results = play_all(R"(
end: 10s
steps:
  - {do: fault gpu=1 lost, for: 1m}
  - {at: 0s, every: 4s, do: load gpu=0 10%}
  - {at: 1s, when: gpu 0 thermal.gpu > 400, do: heal}
  - {at: 20s, do: heal}
)",
                                *machine);
  std::map<Outcome, int> counts;
  for (const auto& each : results) ++counts[each.outcome];
  EXPECT_EQ(counts[Outcome::done], 4) << "0, 4 and 8 s, and the fault that ended early";
  EXPECT_EQ(counts[Outcome::not_reached], 2);
  EXPECT_TRUE(faults_of(*machine, 1).empty());
}

TEST(Run, HoldsForAWhile) {
  const auto machine = make_machine();
  const auto before = *machine->gpus()[0].power.limit_mw;
  const auto results = play_all(R"(
steps:
  - {gpus: 0, do: [set power.limit=300000 thermal.gpu=90, load 80%, fault xid 79], for: 5s}
  - expect: [gpu=0 fault == none, "gpu=0 power.limit > 300000", gpu=0 thermal.gpu < 60, gpu=0 utilization.gpu == 0]
    within: 60s
)",
                                *machine);
  EXPECT_EQ(outcomes_of(results), (std::vector<Outcome>{Outcome::done, Outcome::done})) << results.back().message;
  EXPECT_EQ(results[0].ended_ns, 5 * kSecond);
  EXPECT_EQ(*machine->gpus()[0].power.limit_mw, before);
}

TEST(Run, TwoRunsAreEqual) {
  const std::string yaml = R"(
seed: 3
steps:
  - do: load gpu=all 90%
  - {at: 5s to 50s, gpus: {count: 2}, any: [fault xid 13, fault xid 31], expect: power.draw > 900000, within: 3s}
  - {at: 1m, every: 10s, repeat: 20, chance: 50%, gpus: 1, expect: power.draw > 900000}
)";
  std::string texts[2][2];
  for (auto& text : texts) {
    const auto machine = make_machine();
    const auto results = play_all(yaml, *machine);
    const auto plan = plan_of(yaml, *make_machine());
    text[0] = as_json(*plan, results).dump();
    text[1] = as_junit(*plan, results);
  }
  EXPECT_EQ(texts[0][0], texts[1][0]);
  EXPECT_EQ(texts[0][1], texts[1][1]);
  EXPECT_NE(texts[0][0].find("did not hold"), std::string::npos) << "values with noise are in it";
}

TEST(Run, TenMinutesTakeSeconds) {
  const auto machine = make_machine();
  const auto results = play_all(R"(
steps:
  - do: load gpu=all 100%
  - {at: 0s, when: gpu=all thermal.gpu > 400, within: 10m}
)",
                                *machine);
  EXPECT_EQ(results.back().ended_ns, 600 * kSecond);
}

TEST(Undo, PutsBackWhatACommandChanges) {
  const auto machine = make_machine("h100", 2);
  const std::vector<std::vector<std::string>> commands = {
      {"set", "gpu=all", "power.limit=300000", "thermal.gpu=90"},
      {"set", "gpu=1", "processes=[{pid: 7, name: \"a b\", used_memory_mib: 100}]"},
      {"load", "gpu=0", "50%", "--memory", "20%"},
      {"fault", "gpu=0", "off-bus"},
      {"fault", "gpu=all", "fail", "nvmlDeviceGetTemperature", "GPU_IS_LOST"},
      {"fault", "machine", "no-devices"}};
  std::vector<sim::steering::Undo> undo;
  for (const auto& words : commands) {
    for (auto& each : sim::steering::undo_of(*machine, words)) undo.push_back(std::move(each));
    EXPECT_EQ(problem_of(sim::steering::steer(*machine, words)), "");
  }
  EXPECT_EQ(machine->gpus()[1].processes.size(), 1U);
  for (; !undo.empty(); undo.pop_back())
    EXPECT_EQ(problem_of(sim::steering::steer(*machine, undo.back().words)), "") << undo.back().key;
  EXPECT_TRUE(faults_of(*machine, 0).empty());
  EXPECT_EQ(machine->gpus()[1].processes.size(), 0U);
  EXPECT_FALSE(machine->gpus()[0].workload.gpu);
  EXPECT_EQ(*machine->gpus()[1].power.limit_mw, *make_machine("h100", 2)->gpus()[1].power.limit_mw);
  EXPECT_EQ(machine->gpus()[0].motion.pinned, 0U);
  EXPECT_FALSE(machine->call_rules().at(0));
  EXPECT_EQ(machine->attention().machine.load(), sim::faults::MachineFault::none);
}

}  // namespace
}  // namespace nvmlkit::scenario
