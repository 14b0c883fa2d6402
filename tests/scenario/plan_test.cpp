// Draws, and what is refused before anything happens.
#include <set>

#include "scenario/draw.hpp"
#include "scenario_support.hpp"
#include "sim/state/follow.hpp"

namespace nvmlkit::scenario {
namespace {

NodeIdentity node_of(int number) { return {true, "node-" + std::to_string(number), {}}; }

TEST(Plan, DrawsTheSameForTheSameSeedAndNode) {
  const auto machine = make_machine();
  const std::string yaml =
      "seed: 5\ngroups: {v: {count: 3}}\nsteps: [{gpus: v, do: fault xid 13}, {gpus: v, do: heal}]";
  const auto once = plan_of(yaml, *machine, node_of(1)), twice = plan_of(yaml, *machine, node_of(1));
  EXPECT_EQ(once->steps()[0].gpus.size(), 3U);
  EXPECT_EQ(once->steps()[0].gpus, twice->steps()[0].gpus);
  EXPECT_EQ(once->steps()[0].gpus, once->steps()[1].gpus) << "a group is drawn once";
  std::set<std::vector<std::size_t>> seen;
  for (int i = 0; i < 20; ++i) seen.insert(plan_of(yaml, *machine, node_of(i))->steps()[0].gpus);
  EXPECT_GT(seen.size(), 5U) << "each node draws its own";
}

TEST(Plan, AFractionIsExactOverManyNodes) {
  const auto machine = make_machine("h100", 2);
  std::size_t sum = 0;
  for (int i = 0; i < 400; ++i)
    sum += plan_of("seed: 1\nsteps: [{gpus: 25%, do: fault xid 13}]", *machine, node_of(i))->steps()[0].gpus.size();
  EXPECT_NEAR(static_cast<double>(sum), 200, 35);
}

TEST(Plan, ADrawIsTheSameInEveryVersion) {
  EXPECT_EQ(hash_of({"seed", "node"}), hash_of({"seed", "node"}));
  EXPECT_NE(hash_of({"seed", "node"}), hash_of({"seedn", "ode"}));
  EXPECT_EQ(draw_items({0, 1, 2, 3, 4, 5, 6, 7}, 3, "a"), draw_items({0, 1, 2, 3, 4, 5, 6, 7}, 3, "a"));
  EXPECT_EQ(draw_items({4, 5}, 9, "a"), (std::vector<std::size_t>{4, 5}));
}

TEST(Plan, TimesLieInTheirRange) {
  const auto machine = make_machine("t4", 1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 50; ++i) {
    const auto plan = plan_of("steps: [{at: 5s to 6s, do: fault xid 13}]", *machine, node_of(i));
    EXPECT_GE(plan->steps()[0].begin_ns, 5'000'000'000);
    EXPECT_LE(plan->steps()[0].begin_ns, 6'000'000'000);
    seen.insert(plan->steps()[0].begin_ns);
  }
  EXPECT_GT(seen.size(), 40U);
}

TEST(Plan, RefusesWhatTheMachineCannotMean) {
  const auto machine = make_machine("t4", 2);
  const std::pair<const char*, const char*> cases[] = {
      {"steps: [{do: fault xidd 79}]", "s.yaml:1:14: unknown fault of a GPU 'xidd'; did you mean 'xid'?"},
      {"steps: [{do: fault xid}]", "expected the number of an Xid"},
      {"steps: [{do: set thermal.gup=3}]", "unknown key 'gup'"},
      {"steps: [{do: load 120%}]", "expected a whole percentage"},
      {"steps: [{do: heal gpu=7}]", "no GPU '7'; the machine has 2"},
      {"steps: [{gpus: 4, do: heal}]", "s.yaml:1:16: no GPU '4'"},
      {"steps: [{gpus: {count: 3}, do: heal}]", "expected at most 2, the number of GPUs to draw from, got 3"},
      {"steps: [{expect: gpu=5 pstate == P0}]", "no GPU '5'"},
  };
  for (const auto& [yaml, message] : cases)
    EXPECT_NE(problem_of(plan_of(yaml, *machine)).find(message), std::string::npos)
        << yaml << "\n"
        << problem_of(plan_of(yaml, *machine));
}

TEST(Plan, ChangesNothing) {
  const auto machine = make_machine("h100", 2);
  const auto before = sim::state::count_changes(*machine);
  EXPECT_EQ(problem_of(plan_of("steps: [{do: [fault gpu=all off-bus, fault machine no-devices]}]", *machine)), "");
  EXPECT_EQ(sim::state::count_changes(*machine), before);
}

TEST(Plan, RefusesToWaitForEverWhereItHasTo) {
  const auto check = [](const char* yaml) { return problem_of(check_end(*read("s.yaml", yaml))); };
  EXPECT_NE(check("steps: [{do: heal, every: 1s}]").find("s.yaml:1:9: this step repeats without end"),
            std::string::npos);
  EXPECT_NE(check("steps: [{when: gpu=0 pstate == P0}]").find("may wait for ever"), std::string::npos);
  EXPECT_EQ(check("end: 5s\nsteps: [{do: heal, every: 1s}]"), "");
  EXPECT_EQ(check("steps: [{when: gpu=0 pstate == P0, within: 1s}]"), "");
}

}  // namespace
}  // namespace nvmlkit::scenario
