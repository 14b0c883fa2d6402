// nvmlkit replay
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/pace.hpp"
#include "cli/recorded.hpp"
#include "cli/scenario_machine.hpp"
#include "cli/whole_file.hpp"
#include "recording/place.hpp"
#include "recording/play.hpp"
#include "recording/report.hpp"
#include "scenario/play.hpp"
#include "sim/steering/time_words.hpp"

namespace nvmlkit::cli {
namespace {

struct ReplayOptions {
  RecordedFiles files;
  std::string from, to, json;
  bool check = false, dry_run = false, keep = false;
  PaceOptions pace;
  ScenarioMachineOptions machine;
};

recording::Span span_of(const ReplayOptions& options) {
  recording::Span out;
  const auto read = [](const char* name, const std::string& text) -> std::optional<std::int64_t> {
    if (text.empty()) return std::nullopt;
    const auto seconds = sim::steering::read_seconds_or_zero(text);
    if (!seconds) throw CommandError(of_argument(name, seconds.error()));
    return static_cast<std::int64_t>(*seconds * 1000);
  };
  out.from_ms = read("--from", options.from);
  out.to_ms = read("--to", options.to);
  return out;
}

void print_lines(const std::vector<std::string>& lines) {
  for (const auto& line : lines) fmt::print("{}\n", line);
}

void write_report(const std::string& file, const nlohmann::ordered_json& report) try {
  if (!file.empty()) write_whole(file, report.dump(2) + "\n");
} catch (const std::filesystem::filesystem_error& error) {
  throw CommandError(sim::unusable_file(error.path1().string(), error.code().message()));
}

int replay(const ReplayOptions& options) {
  std::vector<std::string> formats;
  const auto recorded = options.files.read(formats);
  const auto pace = options.pace.wanted();
  const auto span = span_of(options);
  const bool own = options.machine.own();
  const auto machine = own ? options.machine.own_machine() : options.machine.up_machine();
  if (own) scenario::begin_anew(*machine, pace.value_or(0));
  const recording::Timeline timeline(recorded, value_of(recording::places_on(recorded, *machine)), span);
  print_lines(formats);
  print_lines(recording::describe(recorded, timeline));
  if (options.dry_run) return 0;
  std::fflush(stdout);
  recording::Drive drive(*machine, timeline);
  recording::Check check(*machine);
  const auto frames = timeline.frames();
  {
    const Pace kept(*machine, own ? std::nullopt : pace);
    accept(recording::play(drive, *machine, timeline, [&](const recording::Frame& frame) {
      if (options.check) check.look(frame, frames.front().at_ms);
    }));
    drive.end(!options.keep);
  }
  print_lines(recording::summary_of(recorded, drive));
  if (options.check) print_lines(recording::summary_of(check));
  write_report(options.json, recording::as_json(recorded, timeline, drive, options.check ? &check : nullptr));
  return !options.check || check.holds() ? 0 : kFailed;
}

Action declare_replay(Arguments& arguments) {
  const auto options = std::make_shared<ReplayOptions>();
  options->files.declare(arguments);
  arguments.flag("--check", options->check,
                 "Read each value back; the exit status is 1 if one is off by more than 1 %");
  arguments.flag("--dry-run", options->dry_run, "Only print what the recording has");
  arguments.flag("--keep", options->keep, "Leave the machine as it is at the end of the recording");
  options->pace.declare(arguments,
                        "The time of the machine jumps from one sample to the next; so it does with -m, -c and -n",
                        "Time passes so many times as fast as real time");
  arguments.option("--from", Kind::text, options->from, "Where to begin, behind the first sample, as 1h30m")
      .label("TIME")
      .default_text("the first sample");
  arguments.option("--to", Kind::text, options->to, "Where to end, behind the first sample")
      .label("TIME")
      .default_text("the last sample");
  arguments.option("--json", Kind::file, options->json, "Results as JSON").default_text("none");
  options->machine.declare(arguments);
  return [options] { return replay(*options); };
}

}  // namespace

Command replay_command() {
  return {.name = "replay",
          .summary = "Let a machine do what a real one recorded",
          .group = Group::up,
          .details =
              "The GPUs are found by UUID, PCI address or index. Utilization becomes a workload. Values that follow "
              "from it "
              "are left to the physics; the others are pinned until the next sample, and the summary names them. A "
              "field that the recording does not have, or has no longer, moves by itself. At the end the machine is "
              "given back as it was.\n\n"
              "The machine is one that is up, or with -m, -c or -n one of this command alone, whose time jumps.",
          .examples = {{"nvmlkit replay night.json --speed 60", "on the machine that is up, an hour in a minute"},
                       {"nvmlkit replay night.json dmesg.txt", "metrics and the kernel log of the same night"},
                       {"nvmlkit replay day.om -m h100 --check", "at once, and does the machine show all of it?"}},
          .declare = declare_replay};
}

}  // namespace nvmlkit::cli
