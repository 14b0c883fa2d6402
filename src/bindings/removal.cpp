// Calls that remove a GPU or destroy an instance, and thereby end the objects that stand for it.
#include <cstdio>
#include <nvmlkit/device.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/objects.hpp>

#include "conversions.hpp"

namespace nvmlkit::nvml {
namespace {

using detail::call;
using detail::Outcome;

template <class Function, class Handle>
Result<void> destroyed_by(Session& state, Function Table::*member, Handle handle) {
  const Outcome outcome = call(state, member, handle);
  if (!outcome.ok()) return outcome.failure();
  state.retire(handle);
  return {};
}

template <class Function, class... Choices>
auto removed_by(const Session& state, Function Table::*member, const PciInfo& pci_info, Choices... choices) {
  return detail::by(member, 0, [&state, member, &pci_info, choices...]() -> Result<void> {
    abi::nvmlPciInfo_t native{};
    if (const char* field = store(native, pci_info)) return detail::not_held(symbol_of(member).name, field);
    const Outcome outcome = call(state, member, &native, choices...);
    if (!outcome.ok()) return outcome.failure();
    return {};
  });
}

}  // namespace

Result<void> Library::remove_gpu(const PciInfo& pci_info, DetachGpuState gpu_state, PcieLinkState link_state) const {
  // Afterwards its handle could not be found out. A GPU that cannot be looked up has no objects.
  char bus_id[32];
  std::snprintf(bus_id, sizeof bus_id, "%08x:%02x:%02x.0", pci_info.domain, pci_info.bus, pci_info.device);
  const Result<Device> device = device_by_pci_bus_id(bus_id);
  const auto newer = removed_by(*session_, &Table::DeviceRemoveGpu_v2, pci_info, to_abi(gpu_state), to_abi(link_state));
  const bool as_older = gpu_state == DetachGpuState::keep && link_state == PcieLinkState::keep;
  const Result<void> removed =
      as_older ? detail::newest_of(newer, removed_by(*session_, &Table::DeviceRemoveGpu, pci_info)) : newer();
  if (removed && device) session_->retire(device->handle());
  return removed;
}

Result<void> GpuInstance::destroy() const { return destroyed_by(*session_, &Table::GpuInstanceDestroy, handle_); }

Result<void> ComputeInstance::destroy() const {
  return destroyed_by(*session_, &Table::ComputeInstanceDestroy, handle_);
}

}  // namespace nvmlkit::nvml
