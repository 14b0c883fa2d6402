// nvmlkit status
#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/fault_list.hpp"
#include "cli/machine.hpp"
#include "cli/process_list.hpp"
#include "cli/selector.hpp"
#include "cli/state_files.hpp"
#include "node/ready.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::cli {
namespace {

using StatusJson = nlohmann::ordered_json;

struct StatusOptions {
  UpMachineOptions machine;
  bool as_json = false;
  std::string ready_file;
};

std::string origin_of(const sim::Machine& machine) {
  const auto& header = machine.header();
  return {header.origin, strnlen(header.origin, sizeof header.origin)};
}

bool is_read_only(const sim::Machine& machine) { return machine.access() == sim::Access::read_only; }

StatusJson processes_as_json(const sim::Machine& machine) {
  auto out = StatusJson::array();
  for (const auto& user : processes_of(machine))
    out.push_back({{"gpu", user.gpu},
                   {"pid", user.pid},
                   {"type", user.type},
                   {"name", user.name},
                   {"used_memory_bytes", user.memory_bytes ? StatusJson(*user.memory_bytes) : StatusJson()},
                   {"elsewhere", user.elsewhere}});
  return out;
}

StatusJson status_as_json(const sim::Machine& machine, const std::string& path) {
  const auto& header = machine.header();
  const auto gpus = machine.gpus();
  const std::string name = gpus.empty() || !gpus[0].name ? "" : std::string(gpus[0].name->view());
  return {{"machine", origin_of(machine)},
          {"gpu", name},
          {"count", gpus.size()},
          {"state", path},
          {"version", header.version},
          {"created", header.created},
          {"writes", header.writes.load()},
          {"last_writer", header.last_writer.load()},
          {"read_only", is_read_only(machine)},
          {"processes", processes_as_json(machine)},
          {"faults", faults_as_json(machine)}};
}

void print_status(const sim::Machine& machine, const std::string& path) {
  const auto& header = machine.header();
  fmt::print("Machine      {}\nGPUs         {}\nState        {}{}\nWrites       {}{}\n", origin_of(machine),
             list_models(machine), path, is_read_only(machine) ? " (read-only)" : "", header.writes.load(),
             header.last_writer != 0 ? fmt::format(", the last by process {}", header.last_writer.load()) : "");
  for (const auto& user : processes_of(machine))
    fmt::print("Process      GPU {}  {}{}  {}  {}  {}\n", user.gpu, user.pid, user.elsewhere ? " (elsewhere)" : "",
               user.type, user.memory_bytes ? fmt::format("{} MiB", *user.memory_bytes >> 20) : "N/A", user.name);
  for (const auto& fault : list_faults(machine)) fmt::print("Fault        {}\n", fault);
}

// A machine that is up, or why it cannot be used.
struct UpMachine {
  NamedState state;
  std::unique_ptr<sim::Machine> machine;
  std::string problem;
};

std::vector<UpMachine> open_all() {
  std::vector<UpMachine> out;
  for (auto& state : list_states()) {
    UpMachine up{state, nullptr, {}};
    try {
      up.machine = attach(state.path);
    } catch (const CommandError& error) {
      up.problem = sim::text_of(error.problem);
    }
    out.push_back(std::move(up));
  }
  return out;
}

StatusJson machines_as_json(const std::vector<UpMachine>& all) {
  auto out = StatusJson::array();
  for (const auto& up : all) {
    StatusJson row{{"name", up.state.name}, {"state", up.state.path}};
    if (up.machine)
      row.update({{"machine", origin_of(*up.machine)}, {"count", up.machine->gpus().size()}});
    else
      row["problem"] = up.problem;
    out.push_back(row);
  }
  return out;
}

void print_machines(const std::vector<UpMachine>& all) {
  fmt::print("{:<24}{:<16}{}\n", "Name", "Machine", "GPUs");
  for (const auto& up : all)
    if (up.machine)
      fmt::print("{:<24}{:<16}{}\n", up.state.name, origin_of(*up.machine), list_models(*up.machine));
    else
      fmt::print("{:<24}{:<16}{}\n", up.state.name, "-", up.problem);
}

// The machine that is meant where it is there, then all that are up.
int show_all(const StatusOptions& options) {
  const auto all = open_all();
  auto path = options.machine.path();
  const bool inherited = state_in_environment().has_value();
  const bool meant = inherited || all.empty() || all.front().state.path == path;
  if (meant) path = options.machine.existing_path();
  const auto machine = meant ? attach(path) : nullptr;
  if (options.as_json) {
    auto out = machine ? status_as_json(*machine, path) : StatusJson::object();
    out["machines"] = machines_as_json(all);
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  if (machine) print_status(*machine, path);
  const bool others = all.size() > 1 || (!all.empty() && all.front().state.path != path);
  if (machine && others) fmt::print("\n");
  if (others) print_machines(all);
  return 0;
}

// For programs that only start a command and look at its end, as the probes of a container.
int check_ready(const std::string& path) {
  const auto [process, problem] = node::read_ready_file(path);
  if (!problem.empty()) throw CommandError({.kind = sim::ProblemKind::impossible, .what = problem}, kFailed);
  if (process == 0)
    throw CommandError({.kind = sim::ProblemKind::impossible,
                        .what = "no `nvmlkit node --ready-file` is ready",
                        .place = {.file = path}},
                       kFailed);
  if (process <= 0 || (kill(process, 0) != 0 && errno != EPERM))
    throw CommandError({.kind = sim::ProblemKind::impossible,
                        .what = fmt::format("its process {} has ended", process),
                        .place = {.file = path}},
                       kFailed);
  return 0;
}

int show_status(const StatusOptions& options) {
  if (!options.ready_file.empty()) return check_ready(options.ready_file);
  { const auto lock = lock_folder_of(state_of_name(kDefaultName)); }  // tidies up
  if (!options.machine.given()) return show_all(options);
  const auto path = options.machine.existing_path();
  const auto machine = attach(path);
  if (options.as_json)
    fmt::print("{}\n", status_as_json(*machine, path).dump(2));
  else
    print_status(*machine, path);
  return 0;
}

}  // namespace

Command status_command() {
  return {.name = "status",
          .summary = "Show the machines that are up, and who uses them",
          .group = Group::up,
          .details =
              "Without options: the machine of NVMLKIT_STATE, else the one without a name, then the list of all "
              "machines of this user where there are several. `--json` has the list as `machines`.",
          .examples = {{"nvmlkit status", "what is up"},
                       {"nvmlkit status --name test-7", "one machine"},
                       {"nvmlkit status --ready-file /run/gpus-ready", "whether a node is ready, by the exit status"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<StatusOptions>();
            declare_json(arguments, options->as_json);
            auto ready = arguments.option("--ready-file", Kind::file, options->ready_file,
                                          "Only check that the `nvmlkit node` with this --ready-file is ready");
            for (auto& machine : options->machine.declare(arguments)) machine.excludes(ready);
            return [options] { return show_status(*options); };
          }};
}

}  // namespace nvmlkit::cli
