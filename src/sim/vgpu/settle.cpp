// Makes active vGPUs with ids and places from the vGPU section of a machine file.
#include <algorithm>
#include <memory>

#include "sim/traits/architecture.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim::vgpu {
namespace {

using model::EnableState;
using model::Gpu;

void complete_host(Gpu& gpu) {
  const auto off = std::optional<std::uint32_t>(EnableState::disabled);
  gpu.virtualization.host_vgpu_mode.derive_from(std::optional<std::uint32_t>(
      has(gpu, Trait::sriov_vgpu) ? model::HostVgpuMode::sriov : model::HostVgpuMode::non_sriov));
  if (has(gpu, Trait::sriov_vgpu)) gpu.vgpu.heterogeneous_mode.derive_from(off);
  if (has(gpu, Trait::vgpu_media_engines)) gpu.vgpu.compute_media_engine.derive_from(off);
  if (!has(gpu, Trait::mig_vgpu_timeslices)) return;
  gpu.vgpu.mini_quarter.derive_from(off);
  gpu.vgpu.mig_timeslicing.derive_from(off);
}

Expected<void> settle(const Machine& machine, Gpu& gpu, std::uint32_t index) {
  if (gpu.vgpu.instances.empty()) return {};
  const auto said = std::make_unique<decltype(gpu.vgpu.instances)>(gpu.vgpu.instances);
  const auto made = gpu.vgpu.made;
  gpu.vgpu.instances.clear();
  Expected<void> settled;
  for (const bool placed : {true, false}) {  // what says its place comes before what may lie anywhere
    std::uint32_t item = 0;
    for (const auto& instance : *said) {
      if (settled && instance.placement.present == placed)
        if (auto created = create(machine, gpu, instance); !created)
          settled = fail(std::move(created.error()).of_gpu(index).of_item("vgpu.instances", item));
      ++item;
    }
  }
  if (!settled) gpu.vgpu.instances = *said;
  gpu.vgpu.made = std::max(made.value_or(0), static_cast<std::uint32_t>(said->size()));
  return settled;
}

}  // namespace

void settle(Machine& machine) {
  auto& versions = machine.system().vgpu_versions;
  versions.current_min.derive_from(versions.supported_min);
  versions.current_max.derive_from(versions.supported_max);
  std::uint32_t index = 0;
  for (auto& gpu : machine.gpus()) {
    if (is_host(gpu)) complete_host(gpu);
    static_cast<void>(settle(machine, gpu, index++));  // its problems are those of the machine file: config/check.cpp
  }
}

Expected<void> check(const Machine& machine) {
  std::uint32_t index = 0;
  for (const auto& gpu : machine.gpus()) {
    if (!gpu.vgpu.instances.empty())
      if (auto settled = settle(machine, *std::make_unique<Gpu>(gpu), index); !settled) return settled;
    ++index;
  }
  return {};
}

}  // namespace nvmlkit::sim::vgpu
