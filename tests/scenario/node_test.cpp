// Which nodes a scenario is about.
#include "scenario/node.hpp"

#include "scenario_support.hpp"

namespace nvmlkit::scenario {
namespace {

NodeIdentity node_of(const std::string& name) {
  return {true, name, {{"gpu", "h100"}, {"zone", "eu-1"}, {kPoolLabel, "training"}}};
}

// Does a step with this choice take place on the node?
bool chosen(const std::string& nodes, const NodeIdentity& node) {
  static const auto machine = make_machine("t4", 1);
  const auto plan = plan_of("seed: x\nnodes: " + nodes + "\nsteps: [{do: fault xid 13}]", *machine, node);
  EXPECT_EQ(problem_of(plan), "");
  return plan && plan->steps()[0].here;
}

TEST(Nodes, AreChosenByNamesLabelsAndPools) {
  const auto node = node_of("worker-7");
  for (const auto* good : {"worker-7", "'worker-?'", "'*-7'", "[a, worker-7]", "'*'", "{labels: {gpu: h100}}",
                           "{labels: {gpu: 'h*', zone: eu-1}}", "{pool: training}", "{pool: [a, 'train*']}", "100%"})
    EXPECT_TRUE(chosen(good, node)) << good;
  for (const auto* bad : {"worker-77",
                          "'worker-?"
                          "?'",
                          "worker", "{labels: {gpu: a100}}", "{labels: {none: '*'}}", "{pool: inference}", "0%",
                          "{names: 'worker-*', labels: {gpu: t4}}"})
    EXPECT_FALSE(chosen(bad, node)) << bad;
  EXPECT_TRUE(chosen("worker-1", {})) << "a machine that is no node stands for every one";
  EXPECT_FALSE(chosen("{pool: training}", {true, "worker-7", {}}));
}

TEST(Nodes, AFractionIsStableAndNested) {
  int quarter = 0, half = 0;
  for (int i = 0; i < 400; ++i) {
    const auto node = node_of("node-" + std::to_string(i));
    const bool in_quarter = chosen("25%", node), in_half = chosen("50%", node);
    quarter += in_quarter;
    half += in_half;
    EXPECT_TRUE(in_half || !in_quarter) << i;
  }
  EXPECT_NEAR(quarter, 100, 30);
  EXPECT_NEAR(half, 200, 40);
  EXPECT_EQ(chosen("50%", node_of("node-3")), chosen("50%", node_of("node-3")));
}

TEST(Nodes, PatternsMatchAsShellsDo) {
  EXPECT_TRUE(matches_pattern("abcabc", "a*bc"));
  EXPECT_TRUE(matches_pattern("", "*"));
  EXPECT_FALSE(matches_pattern("", "?"));
  EXPECT_FALSE(matches_pattern("abc", "ab"));
  EXPECT_FALSE(matches_pattern(std::string(5000, 'a'), "*a*a*a*a*a*a*b"));
}

TEST(Nodes, ReadLabelsOfTheDownwardApi) {
  NodeIdentity node;
  EXPECT_EQ(problem_of(add_labels_of_file("labels", "a=\"1\"\n\nb/c=\"x \\\"y\\\"\"\nd=\"\"\n", node)), "");
  EXPECT_EQ(node.labels, (std::map<std::string, std::string>{{"a", "1"}, {"b/c", "x \"y\""}, {"d", ""}}));
  EXPECT_EQ(problem_of(add_labels_of_file("labels", "a=\"1\"\nnothing\n", node)),
            "labels:2:1: expected KEY=\"VALUE\", got 'nothing'");
  EXPECT_EQ(problem_of(add_label("=x", node)), "expected KEY=VALUE, got '=x'");
}

}  // namespace
}  // namespace nvmlkit::scenario
