// Draining, removing and rediscovering GPUs.
#include "driver/nvml/call/access.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "nvmlkit/abi/legacy.hpp"
#include "sim/events/raise.hpp"
#include "sim/events/ring.hpp"
#include "sim/processes/clients.hpp"
#include "sim/setters/reset.hpp"
#include "sim/state/attention.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::faults::Availability;

// NVML's own number of a GPU in system events: its PCI address.
std::uint64_t gpu_id(const Gpu& gpu) {
  const auto address = gpu.pci.bus_id.value_or({});
  return std::uint64_t{address.domain} << 16 | std::uint64_t{address.bus} << 8 | address.device;
}

void raise_system_event(Gpu& gpu, long long type) {
  sim::events::raise(gpu, sim::events::kSystemEvent | static_cast<std::uint64_t>(type), gpu_id(gpu));
}

bool is_at(const Gpu& gpu, const nvmlPciInfo_t& place) {
  const auto& address = gpu.pci.bus_id;
  return address && address->domain == place.domain && address->bus == place.bus && address->device == place.device;
}

bool can_drain(const Gpu& gpu) { return sim::has(gpu, sim::Trait::drain); }

bool is_persistent(const Gpu& gpu) { return gpu.persistence_mode && *gpu.persistence_mode == NVML_FEATURE_ENABLED; }

// The GPU of the address, among those that are enumerated.
const Gpu* find_at(const Machine& machine, const nvmlPciInfo_t& place) {
  const auto gpus = machine.gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (is_at(gpus[i], place) && sim::state::is_visible(machine, i)) return &gpus[i];
  return nullptr;
}

nvmlReturn_t remove(const Machine& machine, const nvmlPciInfo_t& place) {
  const auto* gpu = find_at(machine, place);
  if (!gpu) return NVML_ERROR_INVALID_ARGUMENT;
  return edit_gpu(machine, *gpu, [&](Gpu& changed) {
    if (!can_drain(changed)) return NVML_ERROR_NOT_SUPPORTED;
    if (is_persistent(changed) || sim::processes::in_use(machine, *gpu, machine.index_of(*gpu)))
      return NVML_ERROR_IN_USE;
    changed.faults.availability = Availability::removed;
    sim::events::raise(changed, sim::events::kLossOfGpu);
    changed.faults.draining = 0;
    raise_system_event(changed, SystemEventTypeGpuDriverUnbind);
    return NVML_SUCCESS;
  });
}

}  // namespace

nvmlReturn_t DeviceModifyDrainState(const Machine& machine, nvmlPciInfo_t* pciInfo, nvmlEnableState_t newState) {
  const auto* gpu = find_at(machine, *pciInfo);
  if (!gpu) return NVML_ERROR_INVALID_ARGUMENT;
  return edit_gpu(machine, *gpu, [&](Gpu& changed) {
    if (!can_drain(changed)) return NVML_ERROR_NOT_SUPPORTED;
    if (newState == NVML_FEATURE_ENABLED && is_persistent(changed)) return NVML_ERROR_IN_USE;
    changed.faults.draining = newState == NVML_FEATURE_ENABLED ? 1 : 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceQueryDrainState(const Machine& machine, nvmlPciInfo_t* pciInfo, nvmlEnableState_t* currentState) {
  const auto* gpu = find_at(machine, *pciInfo);
  if (!gpu) return NVML_ERROR_NOT_FOUND;
  return consistent(machine, machine.sequence(*gpu), [&] {
    if (!can_drain(*gpu)) return NVML_ERROR_NOT_SUPPORTED;
    *currentState = gpu->faults.draining != 0 ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t DeviceRemoveGpu_v2(const Machine& machine, nvmlPciInfo_t* pciInfo, nvmlDetachGpuState_t,
                                nvmlPcieLinkState_t) {
  return remove(machine, *pciInfo);
}

// The older struct ends before what is looked at here.
nvmlReturn_t DeviceRemoveGpu(const Machine& machine, nvmlPciInfo_t* pciInfo) {
  const auto* old = reinterpret_cast<const nvmlPciInfo_v2_t*>(pciInfo);
  nvmlPciInfo_t place{};
  place.domain = old->domain;
  place.bus = old->bus;
  place.device = old->device;
  return remove(machine, place);
}

nvmlReturn_t DeviceDiscoverGpus(const Machine& machine, nvmlPciInfo_t* pciInfo) {
  const bool everywhere = pciInfo->domain == 0 && pciInfo->bus == 0 && pciInfo->device == 0;
  const auto gpus = machine.gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (sim::state::is_visible(machine, i) || (!everywhere && !is_at(gpus[i], *pciInfo))) continue;
    const auto result = edit_gpu(machine, gpus[i], [](Gpu& changed) {
      if (!sim::faults::hidden(changed.faults)) return NVML_SUCCESS;
      sim::setters::reset_gpu(changed);  // the driver starts it anew
      changed.faults.availability = Availability::available;
      raise_system_event(changed, SystemEventTypeGpuDriverBind);
      return NVML_SUCCESS;
    });
    if (result != NVML_SUCCESS) return result;
  }
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
