// The processes and vGPUs on a GPU, for MIG: the instances that they keep in use, and their memory. `gpu` is the
// machine's own, not the copy of an edit: its place in the machine selects the clients.
#pragma once

#include <cstdint>

#include "sim/mig/devices.hpp"
#include "sim/processes/memory.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::processes {

bool any_process(const Machine& machine, const model::Gpu& gpu);
bool process_outside(const Machine& machine, const model::Gpu& gpu);  // on no GPU instance
bool process_on(const Machine& machine, const model::Gpu& gpu, std::uint32_t instance);
bool process_on(const Machine& machine, const model::Gpu& gpu, mig::DeviceId device);

// Memory of a GPU instance: what it takes for itself and what its processes hold.
std::uint64_t used_bytes(const Machine& machine, const model::Gpu& gpu, const model::MigInstance& instance);

// The memory of a GPU of the machine. In MIG mode, `used` is what its GPU instances use.
Memory memory_of_board(const Machine& machine, const model::Gpu& gpu);

}  // namespace nvmlkit::sim::processes
