// Finds the GPUs of a machine that a user names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// The places of the GPUs that gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all means, in order. None with one line in
// `error` when it means none. The index is the GPU's place in the machine, whether or not it is enumerated now.
std::vector<std::size_t> select_gpus(const Machine& machine, std::string_view selector, std::string& error);

}  // namespace nvmlkit::sim
