// nvmlkit scenario check
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/node_identity.hpp"
#include "cli/scenario_machine.hpp"
#include "scenario/library.hpp"
#include "scenario/plan.hpp"

namespace nvmlkit::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  ScenarioMachineOptions machine;
  NodeIdentityOptions node;
};

int check_scenarios(const CheckOptions& options) {
  const auto machine = options.machine.own_machine();
  for (const auto& file : options.files) {
    const auto plan =
        value_of(scenario::Plan::make(value_of(scenario::read_file_or_name(file)), options.node.identity(), *machine));
    fmt::print("{}: {}, {} steps\n", file, plan.scenario().name, plan.steps().size());
  }
  return 0;
}

}  // namespace

Command scenario_check_command() {
  return {
      .name = "scenario check",
      .summary = "Check scenario files",
      .group = Group::up,
      .details =
          "Prints the first mistake: file, line, column, what was expected there. Commands are tried on a machine of "
          "the options, which nothing else sees.",
      .examples = {{"nvmlkit scenario check outage.yaml -m h100", "is it right for eight H100?"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<CheckOptions>();
        arguments.argument("FILE", Kind::file, options->files, "The files, or names of ready scenarios").required();
        options->node.declare(arguments);
        options->machine.declare(arguments);
        return [options] { return check_scenarios(*options); };
      }};
}

}  // namespace nvmlkit::cli
