// Simulated processes: clients of GPUs that no program stands behind. They run from start() to end().
#pragma once

#include <cstdint>
#include <vector>

#include "sim/processes/clients.hpp"
#include "sim/state/lock.hpp"

namespace nvmlkit::sim::processes {

// Linux gives lower numbers to programs (PID_MAX_LIMIT).
inline constexpr std::uint32_t kFirstSimulatedPid = 1U << 22;

// The PID of the next simulated process that asks for none: they count up over the life of the machine.
std::uint32_t next_simulated_pid(const Machine& machine);

struct Started {
  Outcome outcome = Outcome::done;
  std::size_t gpu = 0;    // that refused
  std::uint32_t pid = 0;  // of the process
};

// One process on all of the GPUs or, where one refuses, on none. `request.pid` is 0 for the next number.
Started start(const state::Lock& lock, const std::vector<std::size_t>& gpus, Request request);

// Ends the use of the GPU by a simulated process. A program of the system is not attached in this sense.
Outcome end(const state::Lock& lock, std::size_t gpu, std::uint32_t pid);

// What the processes of the GPU ask for together, in percent.
std::uint32_t asked_load(const Machine& machine, std::size_t gpu);

}  // namespace nvmlkit::sim::processes
