// nvmlkit process start, nvmlkit process end
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_error.hpp"
#include "cli/commands.hpp"
#include "cli/selector.hpp"
#include "sim/steering/process.hpp"

namespace nvmlkit::cli {
namespace {

struct ProcessOptions {
  UpMachineOptions machine;
  std::string selector, name, memory, sm, type, instance, compute, pid;
  bool as_json = false;
};

std::vector<std::uint32_t> change_processes(const ProcessOptions& options, const std::vector<std::string>& words) {
  const auto command = value_of(sim::steering::read_process(words));
  const auto machine = machine_of(options.machine);
  return value_of(sim::steering::change_processes(*machine, command));
}

int start_process(const ProcessOptions& options) {
  std::vector<std::string> words = {"start", options.selector, options.name};
  const auto give = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  give("--memory", options.memory);
  give("--sm", options.sm);
  give("--type", options.type);
  give("--gi", options.instance);
  give("--ci", options.compute);
  give("--pid", options.pid);
  const auto pids = change_processes(options, words);
  if (options.as_json)
    fmt::print("{}\n", nlohmann::ordered_json{{"pid", pids.at(0)}}.dump(2));
  else
    fmt::print("{}\n", pids.at(0));
  return 0;
}

int end_process(const ProcessOptions& options) {
  change_processes(options, {"end", options.selector, options.name});
  return 0;
}

Action declare_process_start(Arguments& arguments) {
  const auto options = std::make_shared<ProcessOptions>();
  declare_gpus(arguments, options->selector).required();
  arguments.argument("NAME", Kind::text, options->name, "Its name, such as train.py").required();
  arguments.option("--memory", Kind::text, options->memory, "Memory of each GPU that it holds: bytes, or as 512MiB")
      .label("SIZE")
      .default_text("0");
  arguments
      .option("--sm", Kind::text, options->sm, "Its share of the SMs; the load of the GPU is the sum of all shares")
      .label("PERCENT")
      .default_text("none of its own");
  arguments.option("--type", Kind::text, options->type, "C compute, G graphics, C+G, M+C an MPS client")
      .for_example({"C", "G", "C+G", "M", "M+C"})
      .default_text("C")
      .label("TYPE");
  arguments.option("--gi", Kind::number, options->instance, "GPU instance that it runs on").label("ID");
  arguments.option("--ci", Kind::number, options->compute, "Compute instance in that").label("ID").default_text("0");
  arguments.option("--pid", Kind::number, options->pid, "Its PID")
      .label("PID")
      .default_text("the next number from 4194304 on, which Linux gives to no program");
  declare_json(arguments, options->as_json);
  options->machine.declare(arguments);
  return [options] { return start_process(*options); };
}

Action declare_process_end(Arguments& arguments) {
  const auto options = std::make_shared<ProcessOptions>();
  declare_gpus(arguments, options->selector).required();
  arguments.argument("PROCESS", Kind::text, options->name, "Its PID, its name, or all").required().for_example({"all"});
  options->machine.declare(arguments);
  return [options] { return end_process(*options); };
}

}  // namespace

Command process_start_command() {
  return {
      .name = "process start",
      .summary = "Start a simulated process",
      .group = Group::up,
      .details =
          "It uses GPUs and is no program: it runs until `nvmlkit process end`. Prints its PID. `nvmlkit run --uses` "
          "lets a program use GPUs.",
      .examples = {{"nvmlkit process start gpu=0 train.py --memory 20GiB --sm 60%", "a training job"},
                   {"nvmlkit process start gpu=0 serve --gi 2 --memory 2GiB", "on a MIG device"}},
      .declare = declare_process_start};
}

Command process_end_command() {
  return {.name = "process end",
          .summary = "End simulated processes",
          .group = Group::up,
          .details =
              "Or processes of the machine file. A program ends by itself or by kill. Where a process uses other GPUs, "
              "too, it stays there.",
          .examples = {{"nvmlkit process end gpu=all 4194304", "one process"},
                       {"nvmlkit process end gpu=0 train.py", "all of this name on a GPU"},
                       {"nvmlkit process end gpu=all all", "every one"}},
          .declare = declare_process_end};
}

}  // namespace nvmlkit::cli
