#include "driver/cuda/device/links.hpp"

#include "sim/links/links.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/state/lock.hpp"
#include "sim/transaction/edit.hpp"

namespace nvmlkit::cuda::device_links {
namespace {

std::size_t place_of_bus(const sim::Machine& machine, const char* bus_id) {
  const auto wanted = sim::model::parse_pci_bus_id(bus_id);
  std::size_t place = 0;
  for (const auto& gpu : machine.gpus()) {
    if (wanted && gpu.pci.bus_id && *gpu.pci.bus_id == *wanted) break;
    ++place;
  }
  return place;
}

}  // namespace

std::uint64_t active(const Device& device) {
  return device.read([](const auto& gpu) { return sim::links::active(gpu); });
}

bool move(Device& device, const char* bus_id, std::uint64_t sent, std::uint64_t received) {
  const auto& machine = device.machine();
  const auto peer = place_of_bus(machine, bus_id);
  if (peer == machine.gpus().size() || active(device) == 0) return false;
  const sim::state::Lock lock(machine);
  if (!lock) return false;
  sim::transaction::Edit gpu(lock, machine.index_of(device.gpu()));
  if (!gpu || !sim::links::move(machine, *gpu, peer, static_cast<double>(sent), static_cast<double>(received)))
    return false;
  gpu.commit();
  return true;
}

}  // namespace nvmlkit::cuda::device_links
