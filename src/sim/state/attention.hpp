// The words of a machine that every call checks, and the GPUs that NVML enumerates.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::sim::state {

// Is there anything about the GPU that calls have to look at?
bool needs_attention(const model::Gpu& gpu);

// Looks at all GPUs and rules again.
void update_attention(const Machine& machine);

// The GPUs that NVML enumerates: all but those off the bus and those removed.
std::size_t count_visible(const Machine& machine);
// The place of the NVML index in the machine; kMaxGpus when there is none.
std::size_t place_of_index(const Machine& machine, std::size_t index);
std::size_t index_of_place(const Machine& machine, std::size_t place);
bool is_visible(const Machine& machine, std::size_t place);

}  // namespace nvmlkit::sim::state
