// Places of vGPUs in the frame buffer of their GPU or GPU instance, in steps of 512 MiB. The step is our own choice:
// NVML does not define the unit of a placement id.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/vgpu/types.hpp"

namespace nvmlkit::sim::vgpu {

// What vGPUs share: the whole GPU, or one of its GPU instances.
struct Region {
  const model::Gpu* gpu = nullptr;
  std::optional<std::uint32_t> gpu_instance;

  bool holds(const model::VgpuInstance& instance) const;
  bool heterogeneous() const;
  // How many vGPUs of the type it holds at most while all are of one size.
  std::uint32_t capacity(const Type& type) const;
};

// The places that a type can have, free or not. vGPUs of one size lie side by side; where sizes differ, the region is
// halved again and again, and a vGPU has the smallest part that holds it.
struct Placements {
  std::uint32_t size = 0;  // of one place
  std::uint32_t count = 0;
  std::uint32_t at(std::uint32_t index) const { return index * size; }
};
Placements placements(const Region& region, const Type& type, bool heterogeneous);

// Is no active vGPU of the region there?
bool is_free(const Region& region, std::uint32_t start, std::uint32_t size);

// Places of the type's that are free now.
struct Starts {
  std::array<std::uint32_t, 128> items;
  std::uint32_t count = 0;
};
Starts free_starts(const Region& region, const Type& type, bool heterogeneous);

// How many vGPUs of the type can be made now.
std::uint32_t room(const Region& region, const Type& type);

}  // namespace nvmlkit::sim::vgpu
