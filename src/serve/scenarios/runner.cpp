#include "serve/scenarios/runner.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "scenario/language.hpp"
#include "scenario/read.hpp"
#include "scenario/report.hpp"
#include "serve/scenarios/plan_json.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/read.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostResults = 100;

const char* name_of_phase(scenario::Phase phase) {
  switch (phase) {
    case scenario::Phase::waiting:
    case scenario::Phase::scheduled:
      return "waiting";
    case scenario::Phase::watching:
      return "watching";
    case scenario::Phase::doing:
    case scenario::Phase::expecting:
      return "expecting";
    case scenario::Phase::holding:
      return "holding";
    default:
      return "over";
  }
}

double pace_of_machine(const sim::Machine& machine) {
  sim::Clock clock{};
  (void)sim::state::consistently(machine, machine.sequence(), [&] { clock = machine.host().clock; });
  return clock.set == 0 ? 1 : clock.pace;
}

double seconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

bool has_failed(const scenario::Result& result) { return !scenario::has_passed({result}); }

}  // namespace

sim::Expected<scenario::Plan> Runner::plan(const std::string& name, const std::string& text,
                                           const std::optional<std::string>& seed) const {
  auto scenario = scenario::read(name, text);
  if (!scenario) return sim::fail(std::move(scenario.error()));
  if (seed) scenario->seed = *seed;
  return scenario::Plan::make(std::move(*scenario), {}, machine_);
}

void Runner::start(scenario::Plan plan) {
  states_.assign(plan.steps().size(), "");
  results_.clear();
  over_ = failed_ = false;
  begin_ns_ = sim::now_ns(machine_);
  end_ns_ = 0;
  run_ = std::make_unique<scenario::Run>(
      std::move(plan), machine_, scenario::Run::Hooks{[] {}, [this](const scenario::Result& result) { note(result); }});
  advance();
}

void Runner::note(const scenario::Result& result) {
  failed_ = failed_ || has_failed(result);
  if (result.step < states_.size()) states_[result.step] = scenario::name_of(result.outcome);
  results_.push_back(result);
  if (results_.size() > kMostResults) results_.pop_front();
}

void Runner::stop(bool undo) {
  if (!run_) return;
  if (!over_) {
    end_ns_ = elapsed_ns();
    run_->end(end_ns_);
    over_ = true;
  }
  if (undo) run_->undo();
}

void Runner::advance() {
  if (!is_running()) return;
  const auto now = elapsed_ns();
  run_->advance(now);
  if (!run_->is_over()) return;
  over_ = true;
  end_ns_ = now;
}

std::optional<std::chrono::milliseconds> Runner::next() const {
  if (!is_running()) return std::nullopt;
  const auto now = elapsed_ns();
  const auto due = run_->next(now);
  const double pace = pace_of_machine(machine_);
  if (!due || pace <= 0) return std::nullopt;
  constexpr double kLongest = 3600e3;
  const double ms = std::clamp(static_cast<double>(*due - now) / pace / 1e6, 1.0, kLongest);
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms) + 1);
}

std::int64_t Runner::elapsed_ns() const { return over_ ? end_ns_ : sim::now_ns(machine_) - begin_ns_; }

Json Runner::status() const {
  if (!run_) return {{"state", "none"}};
  auto steps = Json::array();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const auto& progress = run_->progress()[i];
    steps.push_back({{"phase", name_of_phase(progress.phase)}, {"round", progress.round}, {"outcome", states_[i]}});
  }
  auto results = Json::array();
  for (const auto& each : results_) {
    const auto text = scenario::line_of(run_->plan(), each);
    results.push_back({{"step", each.step},
                       {"at_s", seconds_of(each.ended_ns)},
                       {"began_s", seconds_of(each.began_ns)},
                       {"outcome", scenario::name_of(each.outcome)},
                       {"text", text.substr(std::min(text.find_first_not_of(' '), text.size()))}});
  }
  return {{"state", over_ ? "over" : "running"}, {"failed", failed_}, {"elapsed_s", seconds_of(elapsed_ns())},
          {"plan", json_of(run_->plan())},       {"steps", steps},    {"results", results}};
}

}  // namespace nvmlkit::serve
