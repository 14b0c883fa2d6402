#include "metrics/scenario_metrics.hpp"

#include <algorithm>
#include <string>

namespace nvmlkit::metrics {

void add_scenarios(Exposition& out, const std::vector<scenario::ShelfStatus>& files) {
  out.family("nvmlkit_scenario_files", "gauge", "Scenario files that the node follows");
  out.sample({}, std::uint64_t{files.size()});
  out.family("nvmlkit_scenario_state", "gauge", "1 for the state of a file: running, over or refused");
  for (const auto& each : files)
    for (const auto* state : {"running", "over", "refused"})
      out.sample({{"file", each.file}, {"scenario", each.scenario}, {"state", state}},
                 std::uint64_t{each.state == state});
  out.family("nvmlkit_scenario_steps_total", "counter", "Steps by their outcome; a step that repeats counts each time");
  for (const auto& each : files)
    for (std::size_t i = 0; i < scenario::kOutcomes; ++i) {
      std::string outcome(scenario::name_of(static_cast<scenario::Outcome>(i)));
      std::replace(outcome.begin(), outcome.end(), ' ', '_');
      out.sample({{"file", each.file}, {"outcome", outcome}}, each.counts[i]);
    }
  out.family("nvmlkit_scenario_steps_pending", "gauge", "Steps that are not over");
  for (const auto& each : files) out.sample({{"file", each.file}}, each.pending);
}

}  // namespace nvmlkit::metrics
