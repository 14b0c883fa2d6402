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
#include "cli/host_name.hpp"
#include "cli/node_identity.hpp"
#include "cli/pace.hpp"
#include "cli/recorded.hpp"
#include "cli/scenario_machine.hpp"
#include "cli/whole_file.hpp"
#include "scenario/library.hpp"
#include "scenario/play.hpp"
#include "scenario/report.hpp"
#include "sim/steering/time_words.hpp"

namespace nvmlkit::cli {
namespace {

struct RunScenarioOptions {
  std::string file, seed, duration, junit, json;
  bool dry_run = false;
  PaceOptions pace;
  RecordOptions record;
  ScenarioMachineOptions machine;
  NodeIdentityOptions node;
};

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

void write_reports(const RunScenarioOptions& options, const scenario::Plan& plan,
                   const std::vector<scenario::Result>& results) try {
  if (!options.json.empty()) write_whole(options.json, scenario::as_json(plan, results).dump(2) + "\n");
  if (!options.junit.empty()) write_whole(options.junit, scenario::as_junit(plan, results));
} catch (const std::filesystem::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
}

int run_scenario(const RunScenarioOptions& options) {
  auto scenario = read_scenario(options);
  const auto pace = options.pace.wanted();
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
  metrics::Recorder recorder(host_name());
  const auto end_ns = static_cast<std::int64_t>(run.plan().scenario().end_s.value_or(0) * 1e9);
  const scenario::Watch watch{options.record.every_ns(), end_ns, [&] { (void)recorder.scrape(*machine); }};
  {
    const Pace kept(*machine, own ? std::nullopt : pace);
    accept(scenario::play(run, *machine, options.record.given() ? &watch : nullptr));
  }
  if (options.record.given()) options.record.write(recorder);
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
  options->pace.declare(arguments,
                        "The time of the machine jumps from one step to the next; so it does with -m, -c and -n",
                        "Time passes so many times as fast as real time");
  arguments.option("--seed", Kind::text, options->seed, "The seed of all draws").default_text("that of the file");
  arguments.option("--for", Kind::text, options->duration, "When the scenario ends, as 30s, 5m or 2h")
      .label("TIME")
      .default_text("`end` of the file");
  arguments.option("--json", Kind::file, options->json, "Results as JSON").default_text("none");
  arguments.option("--junit", Kind::file, options->junit, "Results for continuous integration").default_text("none");
  options->record.declare(arguments);
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
