// The NVSwitches of a machine, from the GPUs at the other ends of their links.
#pragma once

#include <string_view>
#include <vector>

#include "driver/nscq/abi.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::nscq {

struct Device {
  Uuid uuid;
  std::uint32_t number;  // among the machine's NVSwitches
  sim::model::PciBusId place;
  bool is_mounted;
};

// Those that the host sees. Switches of newer racks have no NSCQ.
std::vector<Device> devices_of(const sim::Machine& machine);

// A port with a GPU at its other end.
struct Port {
  std::uint32_t number;
  bool is_active;
  std::uint32_t gpu, link;  // at the other end
  double bytes;             // in each direction
  std::uint64_t errors[sim::links::error_kinds];
};

// In the order of their numbers.
std::vector<Port> ports_of(const sim::Machine& machine, const Device& device);

// The newest SXid of a switch: fatal or not. False if there was none, or too long ago.
bool newest_error(const sim::Machine& machine, const Device& device, bool fatal, Error& out);

// Of a GPU, from its text. Zeros without one.
Uuid uuid_of(const sim::model::Gpu& gpu);

// As nvidia-smi and the fabric manager write it: SWX-XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX.
Label label_of(const Uuid& uuid);
Label label_of(std::string_view text);

}  // namespace nvmlkit::nscq
