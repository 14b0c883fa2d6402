// nvmlkit down
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/machine_options.hpp"
#include "cli/state_files.hpp"

namespace nvmlkit::cli {
namespace {

struct DownOptions {
  UpMachineOptions machine;
  bool all = false;
};

int bring_down(const DownOptions& options) {
  if (!options.all) {
    const auto path = options.machine.existing_path();
    const auto lock = lock_folder_of(path);
    remove_state(path);
    return 0;
  }
  const auto lock = lock_folder_of(state_of_name(kDefaultName));
  for (const auto& state : list_states()) remove_state(state.path);
  return 0;
}

}  // namespace

Command down_command() {
  return {.name = "down",
          .summary = "Remove a machine that is up",
          .group = Group::up,
          .details = "Programs that use the machine keep it until they end.",
          .examples = {{"nvmlkit down", "the machine of NVMLKIT_STATE, else the one without a name"},
                       {"nvmlkit down --name test-7", "one of several"},
                       {"nvmlkit down --all", "all of this user's, for the end of a job; none is no error"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<DownOptions>();
            auto all = arguments.flag("--all", options->all, "All machines of this user");
            for (auto& other : options->machine.declare(arguments)) other.excludes(all);
            return [options] { return bring_down(*options); };
          }};
}

}  // namespace nvmlkit::cli
