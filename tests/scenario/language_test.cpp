// What scenario files may have, and the messages for all else.
#include <nlohmann/json.hpp>

#include "scenario/keys.hpp"
#include "scenario/schema.hpp"
#include "scenario/words.hpp"
#include "scenario_support.hpp"

namespace nvmlkit::scenario {
namespace {

std::string refusal(const std::string& yaml) { return problem_of(read("s.yaml", yaml)); }

TEST(Language, HasAllOfAStep) {
  const auto scenario = read("folder/outage.yaml", R"(
seed: 7
nodes: {names: [worker-*], labels: {gpu: h100}, pool: training, fraction: 50%}
groups: {victims: {count: 2, of: [0-3]}}
end: 10m
undo: false
steps:
  - name: hot
    at: 10s to 20s
    every: 30s
    repeat: 3
    chance: 25%
    if: gpu=0 fault == none
    when: any gpu=all thermal.gpu > 85
    gpus: victims
    do: [fault xid 79, "nvmlkit set gpu=0 'name=A B'"]
    expect: [clocks.sm < 1200, gpu 1 power.draw >= 10]
    within: 500ms
    for: 20s
)");
  ASSERT_EQ(problem_of(scenario), "");
  EXPECT_EQ(scenario->name, "outage");
  EXPECT_EQ(scenario->seed, "7");
  EXPECT_EQ(scenario->groups.at("victims").named, (std::vector<std::string>{"0", "1", "2", "3"}));
  const auto& step = scenario->steps.at(0);
  EXPECT_EQ(step.earliest_s, 10);
  EXPECT_EQ(step.latest_s, 20);
  EXPECT_EQ(step.lines[1].words, (std::vector<std::string>{"set", "gpu=0", "name=A B"}));
  EXPECT_TRUE(step.lines[1].names_target);
  EXPECT_FALSE(step.lines[0].names_target);
  EXPECT_EQ(step.gpus->group, "victims");
  EXPECT_EQ(step.when->field, "thermal.temperature_gpu_c");
  EXPECT_EQ(step.expect[1].gpus, "gpu=1");
  EXPECT_FALSE(scenario->undo);
}

TEST(Language, NamesThePlaceOfEachMistake) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "s.yaml: expected a scenario with steps, got an empty file"},
      {"steps: []", "s.yaml:1:8: expected a list of steps"},
      {"name: x", "s.yaml:1:1: expected a key 'steps'"},
      {"stepps: [{do: fault xid 1}]", "s.yaml:1:1: unknown key of a scenario 'stepps'; did you mean 'steps'?"},
      {"steps: [{wen: gpu 0 thermal.gpu > 1}]", "unknown key of a step 'wen'; did you mean 'when'?"},
      {"steps:\n  - at: 5x\n    do: fault xid 1", "s.yaml:2:9: expected a time such as 500ms, 10s, 5m or 2h, got '5x'"},
      {"steps: [{at: 5s to 2s, do: fault xid 1}]", "s.yaml:1:14: expected the earlier time first"},
      {"steps: [{at: 5s}]", "expected `do`, `any`, `expect`, `when` or `from` in a step"},
      {"steps: [{at: 1s, after: 1s, do: fault xid 1}]", "s.yaml:1:25: a step has either `at` or `after`"},
      {"steps: [{do: fault xid 1, any: fault xid 2}]", "a step has either `do` or `any`"},
      {"steps: [{do: fault xid 1, repeat: 2}]", "`repeat` needs `every`"},
      {"steps: [{do: fault xid 1, within: 2s}]", "`within` needs `expect` or `when`"},
      {"steps: [{when: gpu 0 thermal.gpu > 1, for: 2s}]", "`for` needs `do` or `any`"},
      {"steps: [{do: fault xid 1, every: 1s, for: 2s}]", "`for` is longer than `every`"},
      {"steps: [{do: fault xid 1, every: 1s}, {do: heal}]", "the step before repeats without end"},
      {"steps: [{do: faul xid 1}]", "unknown command 'faul'; did you mean 'fault'?"},
      {"steps: [{do: time virtual}]", "a step cannot change the time"},
      {"steps: [{do: 'set name=\"a'}]", "a quote is not closed"},
      {"steps: [{do: fault xid 1, chance: 120%}]", "expected a percentage from 0% to 100%, got '120%'"},
      {"steps: [{do: fault xid 1, repeat: 0, every: 1s}]", "expected a whole number from 1 on, got '0'"},
      {"steps: [{do: fault xid 1, gpus: victims}]", "expected all, an index, a range such as 0-3"},
      {"groups: {a: 1}\nsteps: [{do: fault xid 1, gpus: b}]", "unknown group 'b'"},
      {"steps: [{do: fault xid 1, gpus: {count: 1, fraction: 5%}}]", "either a count or a fraction"},
      {"steps: [{do: fault xid 1}]\nsteps: []", "duplicate key 'steps'; the first is at line 1"},
      {"steps: [{do: fault xid 1]", "not YAML"},
      {"- a", "expected a mapping for scenario, got a list"},
      {"undo: perhaps\nsteps: []", "expected true or false, got 'perhaps'"},
  };
  for (const auto& [yaml, message] : cases) {
    const auto said = refusal(yaml);
    EXPECT_NE(said.find(message), std::string::npos) << yaml << "\n" << said;
    EXPECT_TRUE(said.starts_with("s.yaml")) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(Language, SplitsWordsAsAShell) {
  EXPECT_EQ(*split_words(" a  'b c' d\"e f\"g '' "), (std::vector<std::string>{"a", "b c", "de fg", ""}));
  EXPECT_FALSE(split_words("a 'b"));
}

TEST(Language, HasASchemaWithEveryKey) {
  const auto all = schema();
  const auto has = [](const nlohmann::ordered_json& object, std::span<const Key> keys) {
    for (const auto& key : keys) EXPECT_TRUE(object.at("properties").contains(std::string(key.name))) << key.name;
    EXPECT_EQ(object.at("properties").size(), keys.size());
    EXPECT_EQ(object.at("additionalProperties"), false);
  };
  has(all, file_keys());
  has(all.at("definitions").at("step"), step_keys());
}

}  // namespace
}  // namespace nvmlkit::scenario
