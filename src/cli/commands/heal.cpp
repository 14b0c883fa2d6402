// nvmlkit heal
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/steering/fault.hpp"

namespace nvmlkit::cli {
namespace {

struct HealOptions {
  UpMachineOptions machine;
  std::vector<std::string> words;
};

int heal_faults(const HealOptions& options) {
  accept(sim::steering::heal(*machine_of(options.machine), options.words));
  return 0;
}

}  // namespace

Command heal_command() {
  return {
      .name = "heal",
      .summary = "End what `nvmlkit fault` began",
      .group = Group::up,
      .examples = {{"nvmlkit heal gpu=0", "everything about one GPU"},
                   {"nvmlkit heal gpu=0 thermal", "one kind of fault"},
                   {"nvmlkit heal machine", "what is wrong with the machine as a whole"}},
      .declare = [](Arguments& arguments) -> Action {
        const auto options = std::make_shared<HealOptions>();
        arguments.argument(
            "FAULT", Kind::fault, options->words,
            "gpu=INDEX, gpu=UUID, gpu=BUS-ID, gpu=all, nic=NAME, nic=all or machine, then the kind of fault; default: "
            "all kinds");
        options->machine.declare(arguments);
        return [options] { return heal_faults(*options); };
      }};
}

}  // namespace nvmlkit::cli
