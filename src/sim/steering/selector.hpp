// Finds the GPUs of a machine that a user names.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim {

// The places of the GPUs that gpu=INDEX, gpu=UUID, gpu=BUS-ID, several of them as in gpu=0,3, or gpu=all means, in
// order and each once; never none. The index is the GPU's place in the machine, whether or not it is enumerated now.
Expected<std::vector<std::size_t>> select_gpus(const Machine& machine, std::string_view selector);

}  // namespace nvmlkit::sim
