// nvmlkit fault
#include "sim/steering/fault.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/fault_list.hpp"
#include "cli/selector.hpp"
#include "kernel_log/follower.hpp"
#include "sim/faults/kinds.hpp"

namespace nvmlkit::cli {
namespace {

struct FaultOptions {
  UpMachineOptions machine;
  std::vector<std::string> words;
  std::string count, after, times;
  bool force = false, as_json = false;

  // The words as sim/steering/fault.hpp has them: options last.
  std::vector<std::string> all_words() const {
    auto out = words;
    if (force) out.emplace_back("--force");
    for (const auto& [name, value] : {std::pair{"--count", &count}, {"--after", &after}, {"--times", &times}})
      if (!value->empty()) out.insert(out.end(), {name, *value});
    return out;
  }
};

int show_faults(const sim::Machine& machine, bool as_json) {
  if (as_json) {
    fmt::print("{}\n", faults_as_json(machine).dump(2));
    return 0;
  }
  const auto lines = list_faults(machine);
  for (const auto& line : lines) fmt::print("{}\n", line);
  if (lines.empty()) fmt::print("no faults\n");
  return 0;
}

int make_fault(const FaultOptions& options) {
  const auto words = options.all_words();
  if (words.empty()) return show_faults(*machine_of(options.machine), options.as_json);
  if (options.as_json)
    throw CommandError(of_argument("fault", sim::contradiction("--json is for the list, `nvmlkit fault --json`")));
  const auto machine = machine_of(options.machine);
  kernel_log::Follower log(*machine, kernel_log::end_of(*machine));
  accept(sim::steering::inject(*machine, words));
  for (const auto& record : log.take()) fmt::print("kernel log: {}\n", record.text);
  return 0;
}

std::string describe_faults() {
  std::string out = "Without FAULT: the list of what is broken. `gpu=` selects as elsewhere.\n\n  Faults of a GPU\n";
  for (const auto* kind : sim::faults::kinds())
    out += fmt::format("  gpu=0 {}{}{}\n", kind->name, kind->usage.empty() ? "" : " ", kind->usage);
  return out +
         "\n  Errors of an NVSwitch, in the kernel log only\n"
         "  nvswitch=0 sxid NUMBER [LINK]\n"
         "\n  Faults of a network adapter, in the files of a driver root\n"
         "  nic=mlx5_0 down\n"
         "  nic=mlx5_0 errors [COUNTER] [--count N]\n"
         "\n  Faults of the machine\n"
         "  machine driver-not-loaded|version-mismatch|no-permission|no-devices\n\n"
         "  Functions that fail or are slow, of a GPU or of the machine\n"
         "  gpu=0 fail FUNCTION|all ERROR [--after N] [--times N]\n"
         "  gpu=0 slow FUNCTION|all TIME [--after N] [--times N]";
}

Action declare_fault(Arguments& arguments) {
  const auto options = std::make_shared<FaultOptions>();
  arguments.argument("FAULT", Kind::fault, options->words, "The fault, in the words above; default: list all faults");
  arguments.flag("--force", options->force, "An Xid that is not known");
  arguments.option("--count", Kind::number, options->count, "How many errors: ecc, nic");
  arguments.option("--after", Kind::number, options->after, "How many calls work first: fail, slow");
  arguments.option("--times", Kind::number, options->times, "How many calls then do not: fail, slow")
      .default_text("all");
  arguments.flag("--json", options->as_json, "The list as JSON");
  options->machine.declare(arguments);
  return [options] { return make_fault(*options); };
}

}  // namespace

Command fault_command() {
  return {.name = "fault",
          .summary = "Break something of a machine, or list what is broken",
          .group = Group::up,
          .details = describe_faults(),
          .examples = {{"nvmlkit fault gpu=0 xid 79", "the GPU falls off the bus"},
                       {"nvmlkit fault gpu=all ecc dram uncorrected --count 2", "memory errors"},
                       {"nvmlkit fault gpu=1 fail nvmlDeviceGetTemperature GPU_IS_LOST --after 10",
                        "a function fails from its 11th call on"},
                       {"nvmlkit fault", "what is broken"}},
          .declare = declare_fault};
}

}  // namespace nvmlkit::cli
