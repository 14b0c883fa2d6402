// nvmlkit up
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/launch.hpp"
#include "cli/machine_options.hpp"
#include "cli/permissions.hpp"
#include "cli/state_files.hpp"
#include "sim/config/environment.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cli {
namespace {

struct UpOptions {
  NewMachineOptions made;
  UpMachineOptions where;
  PermissionOptions permissions;
  bool replace = false;
};

// As a shell reads it back.
std::string quoted_for_shell(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A name belongs to its first job: two jobs of one name would share a machine without knowing.
void refuse_taken(const UpOptions& options, const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return;
  if (!sim::state::is_state_file(path))
    throw CommandError(sim::unusable_file(path, "is no state file of nvmlkit and stays as it is"));
  if (!options.where.name().empty() && !options.replace)
    throw CommandError(of_argument(
        "--name", {.kind = sim::ProblemKind::duplicate,
                   .what = fmt::format("'{}' is up already", options.where.name()),
                   .hint = fmt::format("end it with `nvmlkit down --name {}`, or use --replace or another name",
                                       options.where.name())}));
}

int bring_up(const UpOptions& options) {
  const auto path = std::filesystem::absolute(options.where.path()).lexically_normal().string();
  unsetenv("NVMLKIT_STATE");  // where the machine is to be, not what it is made from
  const auto lock = lock_folder_of(path);
  refuse_taken(options, path);
  const auto driver = own_driver();
  const auto choice = options.made.choice();
  export_choice(choice);
  make_state(path, choice.machine, options.permissions.permissions());
  fmt::print("export NVMLKIT_STATE={} LD_LIBRARY_PATH={}\n", quoted_for_shell(path),
             quoted_for_shell(search_path(driver)));
  return 0;
}

}  // namespace

Command up_command() {
  return {.name = "up",
          .summary = "Make a machine that outlives its programs",
          .group = Group::up,
          .details =
              "Prints what a shell evaluates: NVMLKIT_STATE, which names the machine to every program and every "
              "command of nvmlkit, and the path of the driver library.\n\n"
              "Machines with different names stand side by side. A name that is up already is refused; a "
              "machine without a name, or of a state file, is replaced.",
          .examples = {{"eval \"$(nvmlkit up -m h100)\"", "eight H100 for all programs of this shell"},
                       {"eval \"$(nvmlkit up --name test-7 -m t4)\"", "a machine of its own for this job"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<UpOptions>();
            arguments.flag("--replace", options->replace, "Replace a machine of this name");
            options->made.declare(arguments);
            options->where.declare(arguments);
            options->permissions.declare(arguments);
            return [options] { return bring_up(*options); };
          }};
}

}  // namespace nvmlkit::cli
