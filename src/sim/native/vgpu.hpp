// A vGPU type, its series and its host board. The tables are generated (vgpu_types.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlkit::sim::vgpu {

// What all types of a series have.
struct Series {
  char letter;
  std::string_view type_class, license, product;
  std::uint32_t heads, frame_rate_limit, max_per_vm;
};

struct Type {
  std::uint32_t id;
  std::string_view name;     // NVIDIA A40-8Q, GRID T4-8Q
  std::string_view profile;  // its GPU instance profile; empty: it shares the GPU's time
  std::uint32_t memory_gb, width, height;
  std::uint32_t device_id, subsystem_id;  // PCI; the subsystem with the device above
  std::uint32_t most;                     // that a GPU holds, where that is fewer than its memory would; else 0
  const Series* series;
};

struct Board {
  std::string_view gpu;  // its name
  std::uint32_t memory_gb;
  std::uint32_t most;       // vGPUs that a GPU holds, however small
  bool mixes_without_loss;  // as many of a size fit beside others as without them
  std::span<const Type> types;
};

}  // namespace nvmlkit::sim::vgpu
