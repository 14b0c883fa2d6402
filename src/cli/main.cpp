// The `nvmlkit` command: runs programs on a simulated machine, shows and checks machines.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/caps.hpp"
#include "cli/capture.hpp"
#include "cli/exit_status.hpp"
#include "cli/fault.hpp"
#include "cli/host_topology.hpp"
#include "cli/import.hpp"
#include "cli/launch.hpp"
#include "cli/listing.hpp"
#include "cli/machine.hpp"
#include "cli/root.hpp"
#include "cli/state.hpp"
#include "cli/steering.hpp"
#include "cli/use.hpp"
#include "cli/values.hpp"
#include "cli/vgpu.hpp"
#include "sim/config/builtin.hpp"

namespace nvmlkit::cli {
namespace {

int fail(int status, const std::string& message) {
  fmt::print(stderr, "nvmlkit: {}\n", message);
  return status;
}

// The options that choose a machine, the same for every command that runs something.
struct MachineOptions {
  std::string machine;
  std::string file;
  std::string driver;
  std::uint32_t count = 0;
  CLI::Option* count_option = nullptr;

  void add_to(CLI::App& app) {
    auto* by_name = app.add_option("-m,--machine", machine,
                                   "Built-in machine (see `nvmlkit machines`) or machine file; default: what the "
                                   "environment says, else a100");
    app.add_option("-c,--config", file, "Machine file")->excludes(by_name);
    count_option = app.add_option("-n,--gpus", count, "How many GPUs the machine has");
    app.add_option("--driver", driver, "The driver that it has: a branch (535, 550, ...), or a version");
  }

  MachineChoice choice() const {
    MachineChoice choice{file.empty() ? machine : file, std::nullopt, driver};
    if (count_option->count() > 0) choice.gpu_count = count;
    // A path stays right when the program changes its folder. -c is always one, -m when it reads like one.
    const bool path = !file.empty() || machine.find('/') != std::string::npos || machine.ends_with(".yaml") ||
                      machine.ends_with(".yml");
    if (path) choice.machine = std::filesystem::absolute(choice.machine).lexically_normal().string();
    return choice;
  }
};

// Checks the machine before anything starts, and finds the driver library.
int with_driver(const MachineChoice& choice, const std::function<int(const std::filesystem::path&)>& action) {
  export_choice(choice);
  if (const auto machine = inspect(sim::Environment::process()); !machine) return fail(kBadInput, machine.error());
  const auto driver = driver_directory();
  return driver ? action(*driver) : fail(1, "no libnvidia-ml.so.1 beside this program (../lib/nvmlkit, ../lib)");
}

int machines(bool as_json) {
  auto rows = nlohmann::ordered_json::array();
  for (const sim::BuiltinMachine& builtin : sim::list_builtin_machines()) {
    const auto machine = inspect({{"NVMLKIT_MACHINE", std::string(builtin.name)}});
    if (!machine) return fail(1, machine.error());
    rows.push_back({{"name", builtin.name},
                    {"gpu", machine->gpu_name},
                    {"count", machine->gpu_count},
                    {"memory_bytes", machine->memory_bytes},
                    {"architecture", machine->architecture},
                    {"driver_version", machine->driver_version}});
  }
  if (as_json) {
    fmt::print("{}\n", rows.dump(2));
    return 0;
  }
  fmt::print("{:<12}{:>5}  {:<46}{:>12}  {}\n", "Name", "GPUs", "GPU", "Memory", "Architecture");
  for (const auto& row : rows) {
    fmt::print("{:<12}{:>5}  {:<46}{:>8} MiB  {}\n", row["name"].get<std::string>(), row["count"].get<std::uint32_t>(),
               row["gpu"].get<std::string>(), row["memory_bytes"].get<std::uint64_t>() >> 20,
               row["architecture"].get<std::string>());
  }
  return 0;
}

int check(const std::string& file) {
  const auto machine = inspect({{"NVMLKIT_MACHINE", std::filesystem::absolute(file).lexically_normal().string()}});
  if (!machine) return fail(kBadInput, machine.error());
  fmt::print("{}: {}, driver {}\n", file, machine->gpus, machine->driver_version);
  return 0;
}

// A machine of the command's own, shared by the program and its children; or the one that is up, where NVMLKIT_STATE
// names one and no option asks for another.
int run(const MachineOptions& options, const UseOptions& use, const std::vector<std::string>& command) {
  const MachineChoice choice = options.choice();
  const auto inherited = state_in_environment();
  if (inherited && choice.machine.empty()) {
    if (choice.gpu_count)
      return fail(kBadInput, "run: -n needs -m or -c while NVMLKIT_STATE names a machine that is up");
    return with_driver(choice, [&](const auto& driver) {
      const auto folder = state_folder();
      HostTopology host(*inherited, folder ? fmt::format("{}/run-{}.hwloc.xml", *folder, getpid()) : std::string());
      if (use.gpus.empty() && host) return launch_and_wait(driver, command, {.after = [&](pid_t) { host.remove(); }});
      if (use.gpus.empty()) return launch(driver, command);
      const auto user = GpuUser::of(*inherited, use, command[0]);
      if (!user) return fail(kBadInput, user.error());
      Around around = user->around();
      around.after = [&host, leave = around.after](pid_t pid) {
        leave(pid);
        host.remove();
      };
      return launch_and_wait(driver, command, around);
    });
  }
  return with_driver(choice, [&](const auto& driver) {
    const auto folder = state_folder();
    if (!folder) return fail(1, folder.error());
    const std::string state = fmt::format("{}/run-{}", *folder, getpid());
    if (const auto made = make_state(state, choice.machine); !made) return fail(1, made.error());
    setenv("NVMLKIT_STATE", state.c_str(), 1);
    HostTopology host(state, state + ".hwloc.xml");
    const auto user = GpuUser::of(state, use, command[0]);
    if (!user) {
      unlink(state.c_str());
      return fail(kBadInput, user.error());
    }
    Around around = user->around();
    around.after = [&](pid_t) {
      unlink(state.c_str());
      host.remove();
    };
    return launch_and_wait(driver, command, around);
  });
}

int main(int argc, char** argv) {
  CLI::App app{"Simulated NVIDIA GPUs for programs that use NVML, such as nvidia-smi.", "nvmlkit"};
  app.set_version_flag("--version", "nvmlkit " NVMLKIT_VERSION);
  app.require_subcommand(1);

  MachineOptions run_options;
  auto* run = app.add_subcommand("run", "Run a program on a machine: nvmlkit run -m h100 -- nvidia-smi");
  run_options.add_to(*run);
  UseOptions use;
  use.add_to(*run);
  run->prefix_command();  // from the program's name on, all belongs to the program

  MachineOptions caps_options;
  std::string library;
  bool caps_json = false;
  auto* capabilities = app.add_subcommand(
      "caps", "Show which NVML functions work on which GPU: of the NVIDIA driver here, or of a machine");
  caps_options.add_to(*capabilities);
  auto* library_option = capabilities->add_option("--library", library, "The NVML library to ask");
  capabilities->add_flag("--json", caps_json, "As JSON");

  MachineOptions captured_options;
  CaptureOptions capture_options;
  auto* capture = app.add_subcommand(
      "capture", "Make a machine file of this machine: ask its NVIDIA driver everything, and change nothing");
  captured_options.add_to(*capture);
  auto* capture_library = capture->add_option("--library", capture_options.library, "The NVML library to ask");
  capture->add_option("-o,--output", capture_options.output, "The machine file to write; default: standard output");
  capture->add_option("--answers", capture_options.answers,
                      "Write every answer to this file, as JSON; without -o nothing else is written");
  capture->add_flag("--scrub", capture_options.scrub, "Replace serial numbers and UUIDs, the same by the same");
  capture->add_flag("-v,--verbose", capture_options.verbose, "List what the machine file answers otherwise");
  capture->footer(
      "Calls only functions that read: nothing of the machine changes, nothing waits, no setting is touched.\n"
      "The file is for `nvmlkit run -c FILE`. Root sees more than others. Look at the file before you send it to "
      "others.");

  MachineOptions list_options;
  auto* list = app.add_subcommand("list", "List the GPUs of a machine");
  list_options.add_to(*list);

  bool as_json = false;
  auto* machines = app.add_subcommand("machines", "List the built-in machines");
  machines->add_flag("--json", as_json, "As JSON");

  std::string file;
  auto* check = app.add_subcommand("check", "Check a machine file");
  check->add_option("FILE", file, "The file")->required();

  std::string state;
  const auto about_state = [&](CLI::App* command) {
    command->add_option("--state", state, "State file; default: NVMLKIT_STATE, else the user's own");
    return command;
  };
  MachineOptions up_options;
  auto* up_command = about_state(app.add_subcommand(
      "up",
      "Make a machine that outlives its programs; prints what a shell evaluates: eval \"$(nvmlkit up -m h100)\""));
  up_options.add_to(*up_command);
  auto* down_command = about_state(app.add_subcommand("down", "Remove the machine that is up"));
  auto* status_command = about_state(app.add_subcommand("status", "Show the machine that is up"));
  status_command->add_flag("--json", as_json, "As JSON");

  std::string selector;
  std::string path;
  auto* get_command = about_state(app.add_subcommand("get", "Show values: nvmlkit get gpu=0 power.limit_mw"));
  get_command->add_option("GPU", selector, "gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all")->required();
  get_command->add_option("PATH", path, "A field, or a group of fields; default: all");
  get_command->add_flag("--json", as_json, "As JSON");
  std::vector<std::string> assignments;
  auto* set_command =
      about_state(app.add_subcommand("set", "Change values: nvmlkit set gpu=all power.limit_mw=300000"));
  set_command->add_option("GPU", selector, "gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all")->required();
  set_command->add_option("PATH=VALUE", assignments, "Fields and their new values, as in a machine file")->required();

  auto steering = add_steering_commands(app);
  for (auto& command : add_vgpu_commands(app)) steering.push_back(std::move(command));
  // Their words may look like options, so the commands look at them themselves.
  const std::string fault_help =
      "gpu=0 xid NUMBER [--force] | lost | reset-required | off-bus | ecc PLACE corrected|uncorrected [--count N] |\n"
      "      remap pending|failed | nvlink LINK|all down|errors | fan FAN|all | inforom | thermal [hw|sw] | "
      "power-brake |\n"
      "      fabric WHAT | event NAME [DATA] | fail FUNCTION ERROR [--after N] [--times N] | slow FUNCTION DURATION\n"
      "      machine driver-not-loaded | version-mismatch | no-permission | no-devices | fail ... | slow ...";
  auto* fault_command = about_state(app.add_subcommand(
      "fault", "Break something of the machine that is up, or list what is broken: nvmlkit fault gpu=0 xid 79"));
  fault_command->add_flag("--json", as_json, "The list as JSON");
  fault_command->footer("Faults: " + fault_help);
  fault_command->prefix_command();
  auto* heal_command =
      about_state(app.add_subcommand("heal", "Mend it: nvmlkit heal gpu=0, nvmlkit heal gpu=0 thermal"));
  heal_command->prefix_command();
  std::vector<std::string> captures;
  std::string output;
  bool verbose = false;
  auto* import = app.add_subcommand("import", "Make a machine file from what nvidia-smi printed: -q or -q -x");
  import->add_option("FILE", captures, "Files with the output; - is standard input")->required();
  import->add_option("-o,--output", output, "The machine file to write; default: standard output");
  import->add_flag("-v,--verbose", verbose, "List the lines that are not in the machine");

  MachineOptions root_options;
  RootOptions root;
  auto* root_command = app.add_subcommand(
      "root", "Lay out the files of a driver with a machine behind it, and a CDI specification for containers");
  root_command->add_option("DIR", root.folder, "A new or empty folder, or one that this command made")->required();
  root_options.add_to(*root_command);
  root_command->add_option("--nvidia-smi", root.nvidia_smi, "The nvidia-smi to put in; default: the one in PATH");
  root_command->add_option("--cdi-version", root.cdi_version, "Version of the CDI specification")
      ->default_val("0.6.0")
      ->check(CLI::IsMember({"0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0"}));

  // What stands behind `--` is not looked at, whatever it is.
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const std::vector<std::string> behind(separator, arguments.end());
  arguments.erase(separator, arguments.end());
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help
    std::string command = "nvmlkit";
    for (const auto* at : app.get_subcommands()) command += " " + at->get_name();
    return fail(kBadInput, fmt::format("{}; see `{} --help`", error.what(), command));
  }
  if (*run) {
    // The program may stand before `--`, which is then an argument of its own.
    std::vector<std::string> command = run->remaining();
    command.insert(command.end(), behind.begin() + (command.empty() && !behind.empty() ? 1 : 0), behind.end());
    if (command.empty()) return fail(kBadInput, "run: which program? For example: nvmlkit run -m h100 -- nvidia-smi");
    return run(run_options, use, command);
  }
  if (*list) return with_driver(list_options.choice(), list_gpus);
  if (*capabilities) {
    // A machine is asked through our library; without one, whichever library the system has.
    const MachineChoice choice = caps_options.choice();
    const bool simulated = !choice.machine.empty() || choice.gpu_count || !choice.driver.empty();
    if (simulated && library_option->count() == 0)
      return with_driver(choice, [&](const auto& driver) { return caps(driver / "libnvidia-ml.so.1", caps_json); });
    export_choice(choice);
    return caps(library, caps_json);
  }
  if (*capture) {
    const MachineChoice choice = captured_options.choice();
    const bool simulated = !choice.machine.empty() || choice.gpu_count || !choice.driver.empty();
    if (simulated && capture_library->count() == 0)
      return with_driver(choice, [&](const auto& driver) {
        capture_options.library = driver / "libnvidia-ml.so.1";
        return capture_machine(capture_options);
      });
    export_choice(choice);
    return capture_machine(capture_options);
  }
  if (*root_command) return lay_out_root(root_options.choice(), root);
  if (*import) return import_files(captures, output, verbose);
  if (*machines) return machines(as_json);
  if (*up_command) return up(up_options.choice(), state);
  if (*down_command) return down(state);
  if (*status_command) return status(state, as_json);
  if (*fault_command) return fault(state, fault_command->remaining(), as_json);
  if (*heal_command) return heal(state, heal_command->remaining());
  if (*get_command) return get_values(state, selector, path, as_json);
  if (*set_command) return set_values(state, selector, assignments);
  for (const auto& [command, work] : steering)
    if (*command) return work();
  return check(file);
}

}  // namespace
}  // namespace nvmlkit::cli

int main(int argc, char** argv) {
  try {
    return nvmlkit::cli::main(argc, argv);
  } catch (const std::exception& error) {
    return nvmlkit::cli::fail(1, error.what());
  }
}
