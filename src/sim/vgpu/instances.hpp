// Finds, makes and destroys active vGPUs. They are in gpu.vgpu.instances, in the order of their creation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"
#include "sim/vgpu/placement.hpp"

namespace nvmlkit::sim::vgpu {

// An active vGPU with its GPU and its type.
struct Active {
  const model::Gpu* gpu = nullptr;
  const model::VgpuInstance* instance = nullptr;
  const Type* type = nullptr;
};

// Calls `visit(active)` for every vGPU that is active on the GPU.
template <class Visit>
void for_each(const model::Gpu& gpu, Visit visit) {
  if (!is_host(gpu)) return;
  for (const auto& instance : gpu.vgpu.instances)
    if (const auto* type = type_of(gpu, instance); type && instance.id) visit(Active{&gpu, &instance, type});
}

bool any(const model::Gpu& gpu);
bool any(const Machine& machine);
bool any_on(const model::Gpu& gpu, std::uint32_t gpu_instance);

std::optional<Active> find(const Machine& machine, std::uint32_t id);
model::VgpuInstance* find(model::Gpu& gpu, std::uint32_t id);

// A driver runs in the VM.
bool has_driver(const model::VgpuInstance& instance);

// May a vGPU of the type be made now, and in which GPU instance?
bool creatable(const model::Gpu& gpu, const Type& type);
std::optional<Region> region_for(const model::Gpu& gpu, const Type& type, std::optional<std::uint32_t> gpu_instance);

// Makes an active vGPU of what `said` says and returns its id; what it does not say is chosen. Where it cannot be made,
// nothing has changed.
Expected<std::uint32_t> create(const Machine& machine, model::Gpu& gpu, model::VgpuInstance said);

// False where there is none of the id.
bool destroy(model::Gpu& gpu, std::uint32_t id);

// A GPU instance's data about its vGPUs, for changes. Null if the list is full.
model::VgpuGpuInstance* settings_of(model::Gpu& gpu, std::uint32_t gpu_instance);
// They end with the GPU instance.
void forget_settings(model::Gpu& gpu, std::uint32_t gpu_instance);

// Gives the vGPUs of a machine file ids and places. A GPU with a problem stays as the file says it. Doing it twice
// changes nothing.
void settle(Machine& machine);

// What is wrong with a vGPU that a machine file describes: a problem of an item of a GPU's vgpu.instances.
Expected<void> check(const Machine& machine);

}  // namespace nvmlkit::sim::vgpu
