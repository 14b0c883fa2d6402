// nvmlkit time
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/model_json.hpp"
#include "cli/selector.hpp"
#include "sim/state/clock.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::cli {
namespace {

struct TimeOptions {
  UpMachineOptions machine;
  std::string pace, by;
  bool as_json = false;
};

void show_time(const sim::Machine& machine, bool as_json) {
  const auto now = sim::now_ns(machine);
  const auto clock = machine.host().clock;
  const double pace = clock.set == 0 ? 1 : clock.pace;
  const auto since_us = sim::unix_us(machine, now);
  if (as_json)
    fmt::print("{}\n", Json{{"pace", pace}, {"unix_us", since_us}}.dump(2));
  else
    fmt::print("{} at {}.{:06}\n",
               pace == 0   ? "virtual"
               : pace == 1 ? "real"
                           : fmt::format("{} times real", pace),
               since_us / 1'000'000, since_us % 1'000'000);
}

int pass_time(const TimeOptions& options) {
  std::vector<std::string> words;
  for (const auto& word : {options.pace, options.by})
    if (!word.empty()) words.push_back(word);
  const auto machine = machine_of(options.machine);
  if (!words.empty()) accept(sim::steering::pass_time(*machine, words));
  if (words.empty() || options.as_json) show_time(*machine, options.as_json);
  return 0;
}

}  // namespace

Command time_command() {
  return {.name = "time",
          .summary = "Show the machine's time, or change how it passes",
          .group = Group::up,
          .details =
              "The time of a machine is real, virtual (it moves only when told), or a number of times faster "
              "than real.",
          .examples = {{"nvmlkit time", "what time it is on the machine"},
                       {"nvmlkit time virtual", "time stands still"},
                       {"nvmlkit time advance 10s", "ten seconds pass now"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<TimeOptions>();
            arguments.argument("PACE", Kind::text, options->pace, "real, virtual, a factor such as 60, or advance")
                .for_example({"real", "virtual", "advance"});
            arguments.argument("TIME", Kind::text, options->by, "How far to advance, as 500ms, 10s, 5m or 2h");
            declare_json(arguments, options->as_json);
            options->machine.declare(arguments);
            return [options] { return pass_time(*options); };
          }};
}

}  // namespace nvmlkit::cli
