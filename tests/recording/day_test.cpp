// A day of eight GPUs, recorded under the names of dcgm-exporter while a scenario runs, drives other machines. What
// these names show then is compared with the text of the recording, value by value.
#include <cmath>
#include <map>
#include <sstream>

#include "metrics/dcgm_values.hpp"
#include "metrics/recorder.hpp"
#include "recording/report.hpp"
#include "scenario/library.hpp"
#include "scenario/plan.hpp"
#include "scenario/read.hpp"
#include "support.hpp"

namespace nvmlkit::recording {
namespace {

using Line = std::map<std::string, double>;  // of one instant, by name and GPU

constexpr std::int64_t kMinuteNs = 60'000'000'000;

std::string record(const std::string& scenario, const sim::Machine& machine, std::int64_t every_ns) {
  auto plan = scenario::Plan::make(*scenario::read_file_or_name(scenario), {}, machine);
  EXPECT_TRUE(plan);
  const auto end_ns = static_cast<std::int64_t>(plan->scenario().end_s.value_or(0) * 1e9);
  scenario::Run run(std::move(*plan), machine, {});
  metrics::Recorder recorder("node");
  const scenario::Watch watch{every_ns, end_ns, [&] { EXPECT_TRUE(recorder.scrape(machine)); }};
  EXPECT_TRUE(scenario::play(run, machine, &watch));
  return recorder.text();
}

// Not by the reader that is under test.
std::map<std::int64_t, Line> lines_of(const std::string& text) {
  std::map<std::int64_t, Line> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && line != "# EOF";) {
    const auto name = line.substr(0, line.find('{'));
    const auto gpu = line.substr(line.find("gpu=\"") + 5, 1);
    std::istringstream rest(line.substr(line.rfind("} ") + 2));
    double value = 0, at = 0;
    rest >> value >> at;
    out[std::llround(at * 1000)][name + gpu] = value;
  }
  return out;
}

struct Outcome {
  std::uint64_t compared = 0, off = 0, missing = 0;
  std::string first;
};

// The largest share of values that a field pins, beside.
Outcome replay(const std::string& text, const sim::Machine& machine, double& pinned) {
  const auto recorded = lines_of(text);
  const auto recording = read_text(text);
  const Timeline timeline(recording, *places_on(recording, machine));
  Drive drive(machine, timeline);
  Outcome out;
  const auto played = play(drive, machine, timeline, [&](const Frame& frame) {
    Line shown;
    metrics::each_dcgm_value(machine, "node", [&](const auto& value, const auto& labels, double number) {
      shown[std::string(value.name) + labels.gpu] = number;
    });
    const auto at = recorded.find(frame.at_ms);
    if (at == recorded.end()) return;
    for (const auto& [name, value] : at->second) {
      ++out.compared;
      const auto found = shown.find(name);
      if (found == shown.end()) ++out.missing;
      if (found != shown.end() && std::fabs(found->second - value) <= 0.01 * std::fabs(value)) continue;
      if (++out.off == 1)
        out.first = name + " at " + std::to_string(frame.at_ms) + ": " + std::to_string(value) + ", shown " +
                    (found == shown.end() ? "nothing" : std::to_string(found->second));
    }
  });
  EXPECT_TRUE(played);
  for (const auto& [quantity, fate] : drive.fates()) {
    EXPECT_EQ(fate.refused, 0U) << name_of(quantity) << ": " << sim::text_of(*fate.refusal);
    if (fate.values != 0)
      pinned = std::max(pinned, static_cast<double>(fate.pinned) / static_cast<double>(fate.values));
  }
  drive.end(true);
  return out;
}

TEST(Day, OfEightGpusIsShownWithinOnePerCent) {
  constexpr unsigned kMinutes = NVMLKIT_TEST_SANITIZED ? 5 : 1, kFrames = 24 * 60 / kMinutes + 1;
  const auto first = make_machine("l40s", 8);
  const auto text = record("inference-day", *first, kMinutes * kMinuteNs);
  const auto times = lines_of(text);
  ASSERT_EQ(times.size(), kFrames);
  EXPECT_EQ(times.rbegin()->first - times.begin()->first, 24 * 3600 * 1000);
  double pinned = 0;
  const auto outcome = replay(text, *make_machine("l40s", 8), pinned);
  EXPECT_GT(outcome.compared, kFrames * 8 * 20);
  EXPECT_EQ(outcome.off, 0U) << outcome.first;
  EXPECT_LT(pinned, 0.05) << "the physics gives most of a day of its own kind of machine";
}

// Only memory that the other machine does not have may differ.
TEST(Day, DrivesAnotherKindOfMachineToo) {
  const auto text = record("training", *make_machine("h100", 8), kMinuteNs / 2);
  double pinned = 0;
  const auto outcome = replay(text, *make_machine("h200", 8), pinned);
  const auto frames = lines_of(text).size();
  EXPECT_GT(pinned, 0.5);
  EXPECT_LE(outcome.off, frames * 8) << outcome.first;
  EXPECT_NE(outcome.first.find("FB_FREE"), std::string::npos) << outcome.first;
}

class Incidents : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Incidents, AreShownWithinOnePerCent) {
  const auto [scenario, machine] = GetParam();
  const auto text = record(scenario, *make_machine(machine, 8), kMinuteNs / (NVMLKIT_TEST_SANITIZED ? 4 : 12));
  double pinned = 0;
  const auto outcome = replay(text, *make_machine(machine, 8), pinned);
  EXPECT_GT(outcome.compared, 5000U);
  EXPECT_EQ(outcome.off, 0U) << outcome.first;
}

INSTANTIATE_TEST_SUITE_P(Ready, Incidents,
                         testing::Values(std::pair("gpu-falls-off", "h100"), std::pair("ecc-slow-death", "h100"),
                                         std::pair("thermal-runaway", "h100"), std::pair("power-brake", "h100")),
                         [](const auto& at) {
                           std::string name(at.param.first);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace nvmlkit::recording
