// nvmlkit process list
#include "cli/process_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/selector.hpp"

namespace nvmlkit::cli {
namespace {

using ProcessRow = nlohmann::ordered_json;

struct ProcessListOptions {
  UpMachineOptions machine;
  std::string selector = "gpu=all";
  bool as_json = false;
};

template <class T>
ProcessRow value_or_null(const std::optional<T>& value) {
  return value ? ProcessRow(*value) : ProcessRow();
}

ProcessRow row_of(const GpuProcess& process) {
  return {{"gpu", process.gpu},
          {"gpu_instance", value_or_null(process.gpu_instance)},
          {"compute_instance", value_or_null(process.compute_instance)},
          {"pid", process.pid},
          {"type", process.type},
          {"name", process.name},
          {"used_memory_bytes", value_or_null(process.memory_bytes)},
          {"sm_percent", process.sm_percent},
          {"origin", process.origin},
          {"elsewhere", process.elsewhere}};
}

void print_process(const GpuProcess& process) {
  auto place = fmt::format("gpu={}", process.gpu);
  if (process.gpu_instance) place += fmt::format(" gi={} ci={}", *process.gpu_instance, *process.compute_instance);
  fmt::print("{:<16} {:>8}  {:<4} {:>10}  {:>3} %  {:<12}  {}\n", place, process.pid, process.type,
             process.memory_bytes ? fmt::format("{} MiB", *process.memory_bytes >> 20) : "N/A", process.sm_percent,
             process.elsewhere ? "elsewhere" : process.origin, process.name);
}

int list_processes(const ProcessListOptions& options) {
  const auto machine = machine_of(options.machine);
  const auto wanted = select(*machine, options.selector);
  auto found = processes_of(*machine);
  std::erase_if(found, [&](const auto& each) { return std::ranges::find(wanted, each.gpu) == wanted.end(); });
  if (options.as_json) {
    auto all = ProcessRow::array();
    for (const auto& process : found) all.push_back(row_of(process));
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  for (const auto& process : found) print_process(process);
  if (found.empty()) fmt::print("no processes\n");
  return 0;
}

}  // namespace

Command process_list_command() {
  return {.name = "process list",
          .summary = "List the processes that use GPUs",
          .group = Group::up,
          .details = "Programs, simulated processes and processes of the machine file.",
          .examples = {{"nvmlkit process list gpu=0", "those of one GPU"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<ProcessListOptions>();
            declare_gpus(arguments, options->selector).default_text("gpu=all");
            declare_json(arguments, options->as_json);
            options->machine.declare(arguments);
            return [options] { return list_processes(*options); };
          }};
}

}  // namespace nvmlkit::cli
