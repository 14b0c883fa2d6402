// nvmlkit scenario run
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/node_identity.hpp"
#include "cli/scenario_machine.hpp"
#include "cli/whole_file.hpp"
#include "scenario/library.hpp"
#include "scenario/play.hpp"
#include "scenario/report.hpp"
#include "sim/problem/names.hpp"
#include "sim/state/read.hpp"
#include "sim/steering/command.hpp"
#include "sim/steering/time_words.hpp"

namespace nvmlkit::cli {
namespace {

struct RunScenarioOptions {
  std::string file, speed, seed, duration, junit, json;
  bool dry_run = false, virtual_time = false;
  ScenarioMachineOptions machine;
  NodeIdentityOptions node;
};

// What the options say of the pace of time; nothing: it stays as it is.
std::optional<double> wanted_pace(const RunScenarioOptions& options) {
  if (options.virtual_time) return 0;
  if (options.speed.empty()) return std::nullopt;
  const auto pace = sim::parse_pace(options.speed);
  if (!pace || *pace == 0)
    throw CommandError(
        of_argument("--speed", sim::wrong_value("a factor from 0.001 to 1000000", sim::quote(options.speed))));
  return pace;
}

scenario::Scenario read_scenario(const RunScenarioOptions& options) {
  auto out = value_of(scenario::read_file_or_name(options.file));
  if (!options.seed.empty()) out.seed = options.seed;
  if (!options.duration.empty()) {
    const auto seconds = sim::steering::read_seconds(options.duration);
    if (!seconds) throw CommandError(of_argument("--for", seconds.error()));
    out.end_s = *seconds;
  }
  accept(scenario::check_end(out));
  return out;
}

// Puts the pace of a machine back that others use.
class Pace {
 public:
  Pace(const sim::Machine& machine, std::optional<double> wanted) : machine_(machine) {
    if (!wanted) return;
    (void)sim::state::consistently(machine, machine.sequence(), [&] { before_ = machine.host().clock; });
    accept(sim::steering::set_pace(machine, *wanted));
    changed_ = true;
  }
  ~Pace() {
    if (changed_) (void)sim::steering::set_pace(machine_, before_.set == 0 ? 1 : before_.pace);
  }
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

 private:
  const sim::Machine& machine_;
  sim::Clock before_{};
  bool changed_ = false;
};

void write_reports(const RunScenarioOptions& options, const scenario::Plan& plan,
                   const std::vector<scenario::Result>& results) try {
  if (!options.json.empty()) write_whole(options.json, scenario::as_json(plan, results).dump(2) + "\n");
  if (!options.junit.empty()) write_whole(options.junit, scenario::as_junit(plan, results));
} catch (const std::filesystem::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
}

int run_scenario(const RunScenarioOptions& options) {
  auto scenario = read_scenario(options);
  const auto pace = wanted_pace(options);
  const bool own = options.machine.own();
  const auto machine = own ? options.machine.own_machine() : options.machine.up_machine();
  if (own) scenario::begin_anew(*machine, pace.value_or(0));
  auto plan = value_of(scenario::Plan::make(std::move(scenario), options.node.identity(), *machine));
  if (options.dry_run) {
    for (const auto& line : scenario::describe(plan)) fmt::print("{}\n", line);
    return 0;
  }
  std::vector<scenario::Result> results;
  const scenario::Plan* shown = nullptr;
  scenario::Run run(std::move(plan), *machine,
                    {[] {},
                     [&](const scenario::Result& result) {
                       fmt::print("{}\n", scenario::line_of(*shown, result));
                       std::fflush(stdout);
                       results.push_back(result);
                     }});
  shown = &run.plan();
  {
    const Pace kept(*machine, own ? std::nullopt : pace);
    accept(scenario::play(run, *machine));
  }
  fmt::print("{}\n", scenario::summary_of(results));
  write_reports(options, run.plan(), results);
  return scenario::has_passed(results) ? 0 : kFailed;
}

Action declare_run(Arguments& arguments) {
  const auto options = std::make_shared<RunScenarioOptions>();
  arguments
      .argument("FILE", Kind::file, options->file, "The scenario, or the name of a ready one (nvmlkit scenario list)")
      .required();
  arguments.flag("--dry-run", options->dry_run, "Only print what would happen, and when");
  auto still = arguments.flag("--virtual", options->virtual_time,
                              "The time of the machine jumps from one step to the next; so it does with -m, -c and -n");
  arguments.option("--speed", Kind::number, options->speed, "Time passes so many times as fast as real time")
      .default_text("as it passes on the machine")
      .excludes(still);
  arguments.option("--seed", Kind::text, options->seed, "The seed of all draws").default_text("that of the file");
  arguments.option("--for", Kind::text, options->duration, "When the scenario ends, as 30s, 5m or 2h")
      .label("TIME")
      .default_text("`end` of the file");
  arguments.option("--json", Kind::file, options->json, "Results as JSON").default_text("none");
  arguments.option("--junit", Kind::file, options->junit, "Results for continuous integration").default_text("none");
  options->node.declare(arguments);
  options->machine.declare(arguments);
  return [options] { return run_scenario(*options); };
}

}  // namespace

Command scenario_run_command() {
  return {
      .name = "scenario run",
      .summary = "Run a scenario on a machine",
      .group = Group::up,
      .details =
          "The machine is one that is up, or with -m, -c or -n one of this command alone, on which two runs give "
          "equal results.\n\n"
          "The exit status is 0 if every step was done and every expectation held, 1 if not, and 2 for a wrong file, "
          "with its line and column.",
      .examples = {{"nvmlkit scenario run outage.yaml", "on the machine that is up, in its time"},
                   {"nvmlkit scenario run outage.yaml --speed 60", "an hour in a minute"},
                   {"nvmlkit scenario run outage.yaml -m h100 --junit results.xml", "at once, as a test"}},
      .declare = declare_run};
}

}  // namespace nvmlkit::cli
