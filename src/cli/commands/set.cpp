// nvmlkit set
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/steering/command.hpp"

namespace nvmlkit::cli {
namespace {

struct SetOptions {
  UpMachineOptions machine;
  std::string selector;
  std::vector<std::string> assignments;
};

int set_values(const SetOptions& options) {
  const auto machine = machine_of(options.machine);
  accept(sim::steering::set(*machine, options.selector, options.assignments));
  return 0;
}

}  // namespace

Command set_command() {
  return {.name = "set",
          .summary = "Change values of GPUs",
          .group = Group::up,
          .details =
              "All assignments are done or, if one is wrong, none. A live value stays as set until `nvmlkit "
              "release`.",
          .examples = {{"nvmlkit set gpu=all power.limit_mw=300000", "the power limit of all GPUs"},
                       {"nvmlkit set gpu=0 thermal.gpu=85 fan.speed=N/A", "a hot GPU without a fan"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<SetOptions>();
            declare_gpus(arguments, options->selector).required();
            arguments
                .argument("PATH=VALUE", Kind::assignment, options->assignments,
                          "Fields and their new values, as in a machine file")
                .required();
            options->machine.declare(arguments);
            return [options] { return set_values(*options); };
          }};
}

}  // namespace nvmlkit::cli
