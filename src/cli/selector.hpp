// The machine that is up, and the GPUs of it that a command means.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/machine_options.hpp"
#include "sim/generated/model.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// Refuses what is no state file of this version.
std::unique_ptr<sim::Machine> attach(const std::string& state);
std::unique_ptr<sim::Machine> machine_of(const UpMachineOptions& options);

// The argument GPUS: gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all.
Declared declare_gpus(Arguments& arguments, std::string& selector);
// The indices that it means, in order; never none.
std::vector<std::size_t> select(const sim::Machine& machine, const std::string& selector);

// The GPU as it is now, whole.
std::unique_ptr<sim::model::Gpu> snapshot(const sim::Machine& machine, std::size_t index);
// The machine as it is now, without its processes and events.
std::unique_ptr<sim::Machine> snapshot(const sim::Machine& machine);

}  // namespace nvmlkit::cli
