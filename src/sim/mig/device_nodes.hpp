// The device nodes of a process. If NVMLKIT_DEVICE_NODES names a folder, the process sees only the GPUs and MIG devices
// whose node is in it, as in a container.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "sim/mig/devices.hpp"

namespace nvmlkit::sim::device_nodes {

inline constexpr const char* kVariable = "NVMLKIT_DEVICE_NODES";

// Without a folder, everything has its node.
inline bool has_node(const char* folder, const char* name, std::uint32_t minor) {
  if (*folder == '\0') return true;
  char path[4096 + 64];
  const int length = std::snprintf(path, sizeof path, "%s/%s%u", folder, name, minor);
  return length > 0 && static_cast<std::size_t>(length) < sizeof path && access(path, F_OK) == 0;
}

inline bool has_gpu(const char* folder, std::uint32_t gpu_minor) { return has_node(folder, "nvidia", gpu_minor); }

inline bool has_mig_device(const char* folder, std::uint32_t gpu_minor, mig::DeviceId id) {
  return has_node(folder, "nvidia-caps/nvidia-cap", mig::capability_minor(gpu_minor, id));
}

}  // namespace nvmlkit::sim::device_nodes
