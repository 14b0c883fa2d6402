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
#include "cli/node_preload.hpp"
#include "cli/node_view.hpp"
#include "cli/selector.hpp"
#include "cli/state_files.hpp"
#include "cli/use.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::cli {
namespace {

constexpr const char *kAuto = "auto", *kNamespace = "namespace", *kPreload = "preload";

struct RunOptions {
  MachineOptions machine;
  UseOptions use;
  std::string with_node;  // a mode; empty: without
  bool keep_rpath = false;
};

// The folder on which the namespaces of programs mount what they see; it stays empty on the host.
std::filesystem::path folder_for_views() {
  const auto folder = std::filesystem::path(state_folder()) / "node";
  std::filesystem::create_directories(folder);
  return folder;
}

void show_node_by_library(Around& around, const root::Tree& files) {
  const auto library = node_library();
  const auto folder = std::filesystem::canonical(state_folder()).string();
  const FolderLock lock(folder);
  remove_stale_files(folder);
  const auto path = run_path(folder, ".view");
  std::filesystem::create_directory(path);
  const auto view = std::make_shared<RunFile>(path);
  make_node_view(files, path);
  around.before = [before = around.before, library, path] {
    show_node_view(library, path);
    return before();
  };
  around.after = [after = around.after, view](pid_t pid) {
    after(pid);
    view->remove();
  };
}

void show_node_by_namespace(Around& around, const root::Tree& files, const std::filesystem::path& place) {
  around.before = [before = around.before, files, place] {
    try {
      enter_node_view(files, place);
    } catch (const CommandError& error) {
      fmt::print(stderr, "nvmlkit: {}\n", sim::text_of(error.problem));
      return error.status;
    }
    return before();
  };
}

// The program sees the files of the machine's driver from its start on.
void show_node(Around& around, const std::string& state, const std::string& mode) {
  const auto files = node_files(*attach(state));
  const auto place = folder_for_views();
  const bool falls_back = mode == kAuto && !may_enter_node_view(place);
  if (falls_back)
    fmt::print(
        stderr,
        "nvmlkit: --with-node: the system allows no mount namespace, so that a preloaded library shows the files; "
        "static programs do not see them\n");
  if (falls_back || mode == kPreload) return show_node_by_library(around, files);
  show_node_by_namespace(around, files, place);
}

// On the machine that is up.
int run_on(const std::string& state, const RunOptions& options, const std::vector<std::string>& program) {
  const auto driver = checked_driver();
  HostTopology host(state);
  if (options.use.gpus.empty() && !host && options.with_node.empty()) return launch(driver, program);
  Around around = GpuUser::of(state, options.use, program[0]).around();
  if (!options.with_node.empty()) show_node(around, state, options.with_node);
  around.after = [&host, leave = around.after](pid_t pid) {
    leave(pid);
    host.remove();
  };
  return launch_and_wait(driver, program, around);
}

// On a machine of the command's own, shared by the program and its children.
int run_alone(const RunOptions& options, const std::vector<std::string>& program) {
  const auto driver = checked_driver();
  RunFile state = make_run_state(options.machine.choice().machine);
  setenv("NVMLKIT_STATE", state.path().c_str(), 1);
  HostTopology host(state.path());
  Around around = GpuUser::of(state.path(), options.use, program[0]).around();
  if (!options.with_node.empty()) show_node(around, state.path(), options.with_node);
  around.after = [&, leave = around.after](pid_t pid) {
    leave(pid);
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
  if (options.keep_rpath) setenv(kKeepRpath, "1", 1);
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
            arguments.section("The libraries that the program gets");
            arguments.flag(
                "--keep-rpath", options->keep_rpath,
                "Leave the CUDA libraries that the program finds by RPATH or by a path, as in wheels of PyPI. "
                "Without it, the simulated ones take their place by LD_AUDIT");
            arguments.section("The host that the program sees");
            arguments
                .flag("--with-node", "MODE", kAuto, options->with_node,
                      "Show the driver's files of the machine, as it is at the start, in /proc, /sys and /dev: "
                      "in a mount namespace (`namespace`), or by a preloaded library (`preload`), which static "
                      "programs do not see; without a mode, by the first that the system allows")
                .only({kAuto, kNamespace, kPreload});
            return [options, &node = arguments.node()] { return run_program(*options, node.program); };
          }};
}

}  // namespace nvmlkit::cli
