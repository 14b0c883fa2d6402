// nvmlkit mig enable, nvmlkit mig disable, nvmlkit mig clear: verbs that need nothing but GPUs.
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/mig_change.hpp"
#include "cli/selector.hpp"

namespace nvmlkit::cli {
namespace {

auto declare_verb(std::string verb) {
  return [verb = std::move(verb)](Arguments& arguments) -> Action {
    const auto options = std::make_shared<MigChangeOptions>();
    declare_gpus(arguments, options->selector).required();
    declare_json(arguments, options->as_json);
    options->machine.declare(arguments);
    return [options, verb] { return change_mig(*options, {verb, options->selector}); };
  };
}

}  // namespace

Command mig_enable_command() {
  return {.name = "mig enable",
          .summary = "Turn MIG mode on",
          .group = Group::up,
          .details =
              "As nvmlDeviceSetMigMode: at once if nothing uses the GPU, else with its next reset. Before Hopper the "
              "change is a reset.",
          .examples = {{"nvmlkit mig enable gpu=0", "one GPU"}},
          .declare = declare_verb("enable")};
}

Command mig_disable_command() {
  return {.name = "mig disable",
          .summary = "Turn MIG mode off",
          .group = Group::up,
          .details = "GPU instances count as use, so that the mode is pending; `nvmlkit mig clear` destroys them.",
          .examples = {{"nvmlkit mig disable gpu=all", "all GPUs"}},
          .declare = declare_verb("disable")};
}

Command mig_clear_command() {
  return {.name = "mig clear",
          .summary = "Destroy all GPU instances",
          .group = Group::up,
          .details = "With their compute instances. If a process uses one of them, all stay.",
          .examples = {{"nvmlkit mig clear gpu=0", "an empty GPU in MIG mode"}},
          .declare = declare_verb("clear")};
}

}  // namespace nvmlkit::cli
