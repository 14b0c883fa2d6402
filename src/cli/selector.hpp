// The machine that is up and the GPUs of it that a command means.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// One line for people; the command ends with exit status 2.
struct Refused : std::runtime_error {
  using runtime_error::runtime_error;
};

// The machine of a state file; an empty path means NVMLKIT_STATE, else the usual one. Throws Refused.
std::unique_ptr<sim::Machine> machine_of(const std::string& state);

// The indices that gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all means, in order; never none. Throws Refused.
std::vector<std::size_t> select(const sim::Machine& machine, const std::string& selector);

}  // namespace nvmlkit::cli
