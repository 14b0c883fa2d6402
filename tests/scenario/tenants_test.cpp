// MIG devices and processes in scenarios.
#include "scenario_support.hpp"

namespace nvmlkit::scenario {
namespace {

std::uint32_t instances_on(const sim::Machine& machine, std::size_t place) {
  return machine.gpus()[place].mig.instances.count;
}

TEST(Tenants, LinesTakeTheGpusOfTheStep) {
  const auto machine = make_machine("h100", 4);
  const auto results = play_all(R"(
groups: {some: {count: 2, of: [1-3]}}
steps:
  - {gpus: some, do: [mig enable, "nvmlkit mig create 3g.40gb,1g.10gb"], expect: [mig.devices == 2, mig.instances == 2]}
  - {gpus: 0, do: process start 'my train.py' --memory 1GiB --sm 50%, expect: [processes == 1, utilization.gpu == 50], within: 30s}
  - {do: process end gpu=0 'my train.py', expect: gpu=0 processes == 0}
)",
                                *machine);
  EXPECT_EQ(outcomes_of(results), (std::vector<Outcome>(3, Outcome::done))) << results.back().message;
  EXPECT_EQ(instances_on(*machine, 0), 0U);
  EXPECT_EQ(instances_on(*machine, 1) + instances_on(*machine, 2) + instances_on(*machine, 3), 4U);
}

TEST(Tenants, MistakesHaveAPlace) {
  const auto machine = make_machine("h100", 2);
  const std::pair<const char*, const char*> cases[] = {
      {"steps:\n  - do: mig enabel", "s.yaml:2:9: unknown verb of mig 'enabel'; did you mean 'enable'?"},
      {"steps:\n  - do: [heal, process stop x]", "s.yaml:2:16: unknown verb of process 'stop'"},
      {"steps:\n  - do: mig create 3g.40gbb", "s.yaml:2:9: GPU 0: unknown profile '3g.40gbb'; did you mean '3g.40gb'?"},
      {"steps:\n  - do: mig create 3g.40gb:1", "s.yaml:2:9: GPU 0: expected one of the memory slices 0, 4"},
      {"steps:\n  - do: process start a --sm 140%", "s.yaml:2:9: expected a whole percentage"},
      {"steps:\n  - do: process start gpu=7 a", "s.yaml:2:9: no GPU '7'"},
      {"steps: [{expect: mig.devices > many}]", "expected a number to compare mig.devices with, got 'many'"},
  };
  for (const auto& [yaml, message] : cases)
    EXPECT_NE(problem_of(plan_of(yaml, *machine)).find(message), std::string::npos)
        << yaml << ": " << problem_of(plan_of(yaml, *machine));
}

TEST(Tenants, WhatIsHeldGoes) {
  const auto machine = make_machine("h100", 1);
  const auto results = play_all(R"(
steps:
  - do: [mig enable, "mig create 1g.10gb:0"]
  - {at: 1s, every: 10s, repeat: 5, for: 5s, any: [mig create 2g.20gb:2, mig create 1g.20gb:4], expect: mig.devices == 2}
  - {at: 3s, every: 10s, repeat: 5, for: 1s, do: [process start a --gi 7, process start b --gi 7], expect: processes == 2}
  - {at: 7s, expect: [mig.devices == 1, processes == 0]}
  - {at: 59s, do: [mig destroy 7, mig create 1g.10gb:6], for: 1s}
  - {at: 61s, expect: [mig.devices == 1, mig.mode_current == enabled]}
)",
                                *machine);
  for (const auto& each : results) EXPECT_EQ(each.outcome, Outcome::done) << each.step << each.message;
  EXPECT_EQ(*machine->gpus()[0].mig.instances.span()[0].id, 7U);
}

TEST(Tenants, AScenarioIsTakenBackAndItsListStaysShort) {
  const auto machine = make_machine("h100", 1);
  auto plan = plan_of(R"(
steps:
  - do: [mig enable, "mig create 1g.10gb:0,1g.10gb:1"]
  - {at: 1s, every: 2s, repeat: 300, do: [process start a --gi 7, process start b --gi 7, process end all]}
  - {at: 2s, every: 2s, repeat: 300, do: process start c --gi 8, for: 1s}
  - {at: 700s, do: [mig destroy 8, process start last --gi 7]}
)",
                      *machine);
  ASSERT_EQ(problem_of(plan), "");
  scenario::Run run(std::move(*plan), *machine, {});
  EXPECT_EQ(problem_of(play(run, *machine)), "");
  EXPECT_EQ(run.count(Outcome::done), 602U);
  EXPECT_LE(run.undo_list().size(), 4U) << "what went by itself needs no undo";
  EXPECT_EQ(instances_on(*machine, 0), 1U);
  run.undo();
  EXPECT_EQ(instances_on(*machine, 0), 0U);
  EXPECT_EQ(*machine->gpus()[0].mig.mode_current, sim::model::EnableState::disabled);
}

TEST(Tenants, ARefusalIsAFailureWithItsReason) {
  const auto machine = make_machine("h100", 1);
  const auto results = play_all(R"(
steps:
  - do: [mig enable, "mig create 3g.40gb:0", process start job --gi 1]
  - do: mig destroy 1
  - do: process end jab
)",
                                *machine);
  ASSERT_EQ(outcomes_of(results), (std::vector<Outcome>{Outcome::done, Outcome::failed, Outcome::failed}));
  EXPECT_NE(results[1].message.find("in use by process 4194304 (job)"), std::string::npos) << results[1].message;
  EXPECT_NE(results[2].message.find("did you mean 'job'?"), std::string::npos) << results[2].message;
}

}  // namespace
}  // namespace nvmlkit::scenario
