// nvmlkit run
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/host_topology.hpp"
#include "cli/launch.hpp"
#include "cli/library.hpp"
#include "cli/machine.hpp"
#include "cli/node_view.hpp"
#include "cli/selector.hpp"
#include "cli/state_files.hpp"
#include "cli/use.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::cli {
namespace {

struct RunOptions {
  MachineOptions machine;
  UseOptions use;
  bool with_node = false;
};

// The folder on which the namespaces of programs mount what they see; it stays empty on the host.
std::filesystem::path folder_for_views() {
  const auto folder = std::filesystem::path(state_folder()) / "node";
  std::filesystem::create_directories(folder);
  return folder;
}

// The program sees the files of the machine's driver from its start on.
void show_node(Around& around, const std::string& state) {
  around.before = [before = around.before, files = node_files(*attach(state)), place = folder_for_views()] {
    try {
      enter_node_view(files, place);
    } catch (const CommandError& error) {
      fmt::print(stderr, "nvmlkit: {}\n", sim::text_of(error.problem));
      return error.status;
    }
    return before();
  };
}

// On the machine that is up.
int run_on(const std::string& state, const RunOptions& options, const std::vector<std::string>& program) {
  const auto driver = checked_driver();
  HostTopology host(state);
  if (options.use.gpus.empty() && !host && !options.with_node) return launch(driver, program);
  Around around = GpuUser::of(state, options.use, program[0]).around();
  if (options.with_node) show_node(around, state);
  around.after = [&host, leave = around.after](pid_t pid) {
    leave(pid);
    host.remove();
  };
  return launch_and_wait(driver, program, around);
}

RunFile make_run_state(const MachineChoice& choice) {
  const auto folder = state_folder();
  const FolderLock lock(folder);
  remove_stale_files(folder);
  const auto path = run_path(folder, "");
  make_state(path, choice.machine);
  return RunFile(path);
}

// On a machine of the command's own, shared by the program and its children.
int run_alone(const RunOptions& options, const std::vector<std::string>& program) {
  const auto driver = checked_driver();
  RunFile state = make_run_state(options.machine.choice());
  setenv("NVMLKIT_STATE", state.path().c_str(), 1);
  HostTopology host(state.path());
  Around around = GpuUser::of(state.path(), options.use, program[0]).around();
  if (options.with_node) show_node(around, state.path());
  around.after = [&](pid_t) {
    state.remove();
    host.remove();
  };
  return launch_and_wait(driver, program, around);
}

int run_program(const RunOptions& options, const std::vector<std::string>& program) {
  if (program.empty())
    throw CommandError(of_argument("run", {.kind = sim::ProblemKind::missing,
                                           .what = "which program? For example: nvmlkit run -m h100 -- nvidia-smi"}));
  options.machine.export_all();
  const auto state = options.machine.state();
  return state ? run_on(*state, options, program) : run_alone(options, program);
}

}  // namespace

Command run_command() {
  return {.name = "run",
          .summary = "Run a program on a machine",
          .group = Group::programs,
          .details =
              "The program and its children see the GPUs of one machine: of NVMLKIT_STATE or of `--name`, where "
              "a machine is up, else one of their own that ends with the program. The exit status is that of "
              "the program.",
          .examples = {{"nvmlkit run -m h100 -- nvidia-smi", "eight H100"},
                       {"nvmlkit run -c machine.yaml -n 2 -- pytest tests", "two GPUs of a machine file"},
                       {"nvmlkit run -m h100 --with-node -- lspci -d 10de:", "the GPUs among the host's PCI devices"},
                       {"nvmlkit run -m t4 --uses gpu=0 --memory 2GiB -- sleep 60", "a program that uses a GPU"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<RunOptions>();
            arguments.program("PROGRAM", "The program and its arguments; from its name on, all belongs to it");
            options->machine.declare(arguments);
            options->use.declare(arguments);
            arguments.section("The host that the program sees");
            arguments.flag("--with-node", options->with_node,
                           "Show the driver's files of the machine, as it is at the start, in /proc, /sys and /dev; "
                           "needs root or user namespaces");
            return [options, &node = arguments.node()] { return run_program(*options, node.program); };
          }};
}

}  // namespace nvmlkit::cli
