// The device nodes of a driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "root/tree.hpp"
#include "sim/mig/devices.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::root {

// Those that the driver registers for itself, as /proc/devices lists them. Only the first is the same on every host.
inline constexpr unsigned int kGpuMajor = 195, kImexMajor = 507, kNvLinkMajor = 508, kCapsMajor = 509,
                              kSwitchMajor = 510, kUvmMajor = 511;

// What else nvidia-caps gives access to.
inline constexpr unsigned int kFabricMinor = 0, kMigConfigMinor = 1, kMigMonitorMinor = 2;

// A MIG device of a GPU.
struct MigDevice {
  sim::mig::DeviceId id;
  std::string uuid;
};

struct GpuDevice {
  std::size_t place;  // in the machine
  std::size_t index;  // of NVML, which leaves out the GPUs that are off the bus
  unsigned int minor;
  std::string uuid;
  bool is_started;  // by the driver: NVML shows it
  bool has_mig, mig_enabled;
  std::vector<std::uint32_t> gpu_instances;
  std::vector<MigDevice> mig_devices;
};

// The GPUs that are on the bus.
std::vector<GpuDevice> devices_of(const sim::Machine& machine);

// Paths below /dev.
std::string node_of(const GpuDevice& gpu);
std::vector<std::string> nodes_of(const GpuDevice& gpu, const MigDevice& device);
std::vector<std::string> control_nodes();

// dev/..., and the list of them: path, type, major, minor, mode.
void add_nodes(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus);

// proc/devices
std::string device_numbers(const sim::Machine& machine);

}  // namespace nvmlkit::root
