// The entry of changes into telemetry: every change of a GPU passes here.
#pragma once

#include <cstdint>

#include "sim/generated/model.hpp"

namespace nvmlkit::sim {
class Machine;
}

namespace nvmlkit::sim::telemetry {

// Starts the GPUs of a new machine: from now on they use energy, and run the workloads of their machine file.
void start(Machine& machine);

// A GPU is about to become `after`: what moves goes on from where it is now, if anything that it depends on changes.
void settle(const Machine& machine, const model::Gpu& before, model::Gpu& after);

// What the GPU is busy with, from now on; `seconds` of 0 mean without end. To be called on the copy that an Edit holds.
void load(model::Gpu& gpu, const model::Workload& workload, std::int64_t now_ns, double seconds);
void unload(model::Gpu& gpu);

}  // namespace nvmlkit::sim::telemetry
