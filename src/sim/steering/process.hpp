// Simulated processes in words:
//
//   process start gpu=0 train.py --memory 20GiB --sm 60% --type C        process end gpu=0 4194304
//   process start gpu=0 serve --gi 1 --ci 0 --memory 2GiB                process end gpu=all train.py
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"
#include "sim/processes/simulated.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::steering {

enum class ProcessVerb : std::uint8_t { start, end };
std::span<const std::string_view> process_verbs();

struct ProcessCommand {
  ProcessVerb verb = ProcessVerb::start;
  std::string gpus;
  std::string name;            // start: of the process; end: a name, or all
  std::uint32_t pid = 0;       // end: this one, else by name; start: 0 for the next number
  processes::Request request;  // start
};

// The words behind `process`.
Expected<ProcessCommand> read_process(std::span<const std::string> words);

// Does it on all of the GPUs or, where one refuses, on none. Returns the PIDs.
Expected<std::vector<std::uint32_t>> change_processes(const Machine& machine, const ProcessCommand& command);

// A process that a command can end: a simulated one, or one of the machine file.
struct EndableProcess {
  std::uint32_t pid = 0;
  std::string name;
  std::optional<processes::Client> simulated;  // none: of the machine file
};

// Those of the GPU that the command means. To be called with the lock held, or on a consistent read.
std::vector<EndableProcess> processes_to_end(const Machine& machine, std::size_t gpu, const ProcessCommand& command);

// The load of the GPU becomes what its processes ask for together.
Expected<void> follow_processes(const Machine& machine, std::size_t gpu);

}  // namespace nvmlkit::sim::steering
