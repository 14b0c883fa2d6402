// Conditions on the fields of GPUs.
#include "scenario_support.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::scenario {
namespace {

void steer(const sim::Machine& machine, std::vector<std::string> words) {
  EXPECT_EQ(problem_of(sim::steering::steer(machine, words)), "");
}

// "yes" or "no" and the values, or the problem.
std::string look(const sim::Machine& machine, const std::string& text) {
  const auto condition = parse_condition(text);
  if (!condition) return problem_of(condition);
  const auto verdict = evaluate(*condition, machine, {1});
  if (!verdict) return problem_of(verdict);
  return (verdict->holds ? "yes " : "no ") + verdict->seen;
}

TEST(Conditions, CompareValues) {
  const auto machine = make_machine("h100", 2);
  steer(*machine, {"set", "gpu=1", "thermal.gpu=85", "fan.speed=N/A"});
  EXPECT_EQ(look(*machine, "gpu=1 thermal.gpu > 84.5"), "yes gpu 1: 85");
  EXPECT_EQ(look(*machine, "gpu 1 thermal.gpu>85"), "no gpu 1: 85");
  EXPECT_EQ(look(*machine, "thermal.gpu == 85"), "yes gpu 1: 85") << "the GPUs of the step";
  EXPECT_EQ(look(*machine, "thermal.gpu != 85"), "no gpu 1: 85");
  EXPECT_EQ(look(*machine, "gpu=all thermal.gpu >= 85").substr(0, 9), "no gpu 0:");
  EXPECT_EQ(look(*machine, "any gpu=all thermal.gpu >= 85").substr(0, 3), "yes");
  EXPECT_EQ(look(*machine, "fan.speed == N/A"), "yes gpu 1: N/A");
  EXPECT_EQ(look(*machine, "fan.speed > 3"), "no gpu 1: N/A");
  EXPECT_EQ(look(*machine, "ecc.mode_current = enabled"), "yes gpu 1: enabled");
  EXPECT_EQ(look(*machine, "name == 'NVIDIA H100 80GB HBM3'").substr(0, 3), "yes");
}

TEST(Conditions, KnowFaults) {
  const auto machine = make_machine("h100", 2);
  EXPECT_EQ(look(*machine, "gpu=all fault == none"), "yes gpu 0: none, gpu 1: none");
  steer(*machine, {"fault", "gpu=1", "xid", "79"});
  EXPECT_EQ(look(*machine, "fault == xid").substr(0, 3), "yes");
  EXPECT_EQ(look(*machine, "fault == xid 79").substr(0, 3), "yes");
  EXPECT_EQ(look(*machine, "fault == xid 7").substr(0, 2), "no");
  EXPECT_EQ(look(*machine, "fault != none").substr(0, 3), "yes");
}

TEST(Conditions, RefuseWhatIsNone) {
  const auto machine = make_machine("h100", 2);
  const std::pair<const char*, const char*> cases[] = {
      {"thermal.gpu", "expected a condition such as gpu=0 thermal.gpu > 85"},
      {"thermal.gpu >", "expected a condition"},
      {"> 3", "expected a condition"},
      {"a b > 3", "expected a condition"},
      {"thermal.gup > 3", "unknown name 'gup'"},
      {"thermal > 3", "expected a field with one value"},
      {"thermal.gpu > hot", "expected a number to compare temperature_gpu_c with, got 'hot'"},
      {"ecc.mode_current > enabled", "expected == or != for mode_current"},
      {"ecc.mode_current == enabledd", "did you mean 'enabled'?"},
      {"fault > none", "expected == or != for fault"},
      {"gpu=9 thermal.gpu > 3", "no GPU '9'; the machine has 2"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_NE(look(*machine, text).find(message), std::string::npos) << text << ": " << look(*machine, text);
}

}  // namespace
}  // namespace nvmlkit::scenario
