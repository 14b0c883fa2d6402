// What faults leave of the driver and its GPUs, as the kernel shows them.
#pragma once

#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// Are the driver's kernel modules loaded?
inline bool is_driver_loaded(const sim::Machine& machine) {
  return machine.attention().machine.load(std::memory_order_acquire) != sim::faults::MachineFault::driver_not_loaded;
}

// Does the driver start the GPUs that it finds on the bus?
inline bool starts_gpus(const sim::Machine& machine) {
  return machine.attention().machine.load(std::memory_order_acquire) != sim::faults::MachineFault::no_devices;
}

// Who may open the device nodes of GPUs: everybody, or root and the group of the nodes.
inline unsigned int mode_of_nodes(const sim::Machine& machine) {
  const auto fault = machine.attention().machine.load(std::memory_order_acquire);
  return fault == sim::faults::MachineFault::no_permission ? 0660 : 0666;
}

// A GPU whose driver did not start is on the bus, too.
inline bool is_on_bus(const sim::model::Gpu& gpu) { return !sim::faults::hidden(gpu.faults); }

// Does the GPU answer reads of its configuration space?
inline bool answers(const sim::model::Gpu& gpu) { return gpu.faults.availability != sim::faults::Availability::lost; }

}  // namespace nvmlkit::root
