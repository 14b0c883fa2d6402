// The GPUs of this process, in order. GPUs off the bus are missing for all processes. A draining GPU is missing for
// processes that start NVML meanwhile. With NVMLKIT_DEVICE_NODES, GPUs without a node in that folder are missing, as in
// a container.
#pragma once

#include <cstddef>
#include <optional>

#include "sim/mig/devices.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::driver {

// At nvmlInit: looks which GPUs are being drained, and which have a device node: in `device_nodes` where
// NVMLKIT_DEVICE_NODES is not set, and everywhere where that is empty.
void begin_enumeration(const sim::Machine& machine, const char* device_nodes);

// The process does not see any GPU, as after an init with NVML_INIT_FLAG_NO_ATTACH; and looks again.
void hide_all();
void look_again(const sim::Machine& machine);

std::size_t count_visible(const sim::Machine& machine);
// The place of the NVML index in the machine; max_gpus when there is none.
std::size_t place_of_index(const sim::Machine& machine, std::size_t index);
std::size_t index_of_place(const sim::Machine& machine, std::size_t place);
bool is_visible(const sim::Machine& machine, std::size_t place);

// MIG devices of a GPU that this process sees. Where NVMLKIT_DEVICE_NODES names a folder, those whose capability node
// is there.
bool is_visible(const sim::model::Gpu& gpu, sim::mig::DeviceId id);
std::optional<sim::mig::Device> mig_device_at(const sim::model::Gpu& gpu, std::uint32_t index);
std::optional<std::uint32_t> index_of_mig_device(const sim::model::Gpu& gpu, sim::mig::DeviceId id);

}  // namespace nvmlkit::driver
