#include "sim/vgpu/placement.hpp"

#include <algorithm>
#include <bit>

namespace nvmlkit::sim::vgpu {
namespace {

constexpr std::uint32_t kStepsPerGb = 2;

// Steps of the whole region: as many vGPUs as fit, each of its size.
std::uint32_t steps_of(const Region& region, const Type& type) {
  return region.capacity(type) * type.memory_gb * kStepsPerGb;
}

}  // namespace

bool Region::holds(const model::VgpuInstance& instance) const {
  return gpu_instance ? instance.gpu_instance && *instance.gpu_instance == *gpu_instance : !instance.gpu_instance;
}

bool Region::heterogeneous() const {
  return gpu_instance ? vgpu::heterogeneous(*gpu, *gpu_instance) : vgpu::heterogeneous(*gpu);
}

std::uint32_t Region::capacity(const Type& type) const {
  return gpu_instance ? max_per_gpu_instance(*gpu, type) : on_mig(type) ? 0 : max_instances(*gpu, type);
}

Placements placements(const Region& region, const Type& type, bool heterogeneous) {
  const auto capacity = region.capacity(type);
  if (capacity == 0) return {};
  if (!heterogeneous) return {type.memory_gb * kStepsPerGb, capacity};
  // The whole region is what the largest type takes.
  std::uint32_t whole = 0;
  for (const auto& other : types_of(*region.gpu))
    if (on_mig(other) == on_mig(type) && other.profile == type.profile)
      whole = std::max(whole, steps_of(region, other));
  const auto parts = mixes_without_loss(*region.gpu) ? capacity : std::bit_floor(capacity);
  return {whole / parts, parts};
}

bool is_free(const Region& region, std::uint32_t start, std::uint32_t size) {
  for (const auto& instance : region.gpu->vgpu.instances) {
    const auto* type = region.holds(instance) ? type_of(*region.gpu, instance) : nullptr;
    if (!type || !instance.placement) continue;
    const std::uint64_t other = *instance.placement, taken = placements(region, *type, region.heterogeneous()).size;
    if (other < std::uint64_t{start} + size && start < other + taken) return false;
  }
  return true;
}

Starts free_starts(const Region& region, const Type& type, bool heterogeneous) {
  Starts out;
  const auto all = placements(region, type, heterogeneous);
  for (std::uint32_t i = 0; i < all.count && out.count < out.items.size(); ++i)
    if (is_free(region, all.at(i), all.size)) out.items[out.count++] = all.at(i);
  return out;
}

std::uint32_t room(const Region& region, const Type& type) {
  const auto capacity = region.capacity(type);
  std::uint32_t active = 0;
  for (const auto& instance : region.gpu->vgpu.instances) {
    const auto* other = region.holds(instance) ? type_of(*region.gpu, instance) : nullptr;
    if (!other) continue;
    if (!region.heterogeneous() && other->memory_gb != type.memory_gb) return 0;
    ++active;
  }
  if (region.heterogeneous()) return free_starts(region, type, true).count;
  return capacity > active ? capacity - active : 0;
}

}  // namespace nvmlkit::sim::vgpu
