// What NVML's setters of MIG do to a GPU, and why they refuse. `gpu` is the machine's own, whose place selects its
// processes; `changed` is the copy of an edit.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/mig/devices.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::setters {

enum class MigRefusal : std::uint8_t {
  none,
  not_supported,  // the GPU has no MIG, or its mode is off
  no_profile,
  no_instance,
  no_placement,  // the profile has no such placement
  insufficient,  // no room, no engine, or none of the profile left
  in_use,        // by processes, vGPUs or compute instances
};

// First slice and number of slices.
struct MigPlacement {
  std::uint32_t start, size;
};

// The pending mode is always set. It becomes the current one at once if nothing uses the GPU, else with the next reset;
// then `pending` is true. Before Hopper a change of the mode is a reset.
MigRefusal set_mig_mode(const Machine& machine, const model::Gpu& gpu, model::Gpu& changed, bool enable, bool& pending);

// Without a placement, at the best one.
MigRefusal create_gpu_instance(const Machine& machine, const model::Gpu& gpu, model::Gpu& changed,
                               std::uint32_t profile_id, const std::optional<MigPlacement>& placement,
                               std::uint32_t& id);
MigRefusal create_compute_instance(model::Gpu& changed, std::uint32_t instance, std::uint32_t profile_id,
                                   const std::optional<MigPlacement>& placement, std::uint32_t& id);

// A GPU instance with compute instances is in use.
MigRefusal destroy_gpu_instance(const Machine& machine, const model::Gpu& gpu, model::Gpu& changed,
                                std::uint32_t instance);
MigRefusal destroy_compute_instance(const Machine& machine, const model::Gpu& gpu, model::Gpu& changed,
                                    mig::DeviceId device);

}  // namespace nvmlkit::sim::setters
