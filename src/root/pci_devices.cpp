#include "root/pci_devices.hpp"

#include "root/driver_state.hpp"
#include "root/infiniband.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::Architecture;

constexpr std::uint32_t kMellanox = 0x15b3, kConnectXBoard = 0x0023;

std::optional<PciDevice> device_of(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  if (!gpu.pci.bus_id) return std::nullopt;
  const sim::telemetry::Reading reading(machine, gpu);
  const auto& pcie = gpu.pcie;
  const auto generation = reading(pcie.current_link_gen);
  const auto ids = gpu.pci.device_id.value_or(kNvidia), subsystem = gpu.pci.subsystem_id.value_or(0);
  PciDevice device{.id = *gpu.pci.bus_id,
                   .vendor = ids & 0xFFFF,
                   .device = ids >> 16,
                   .subsystem_vendor = subsystem & 0xFFFF,
                   .subsystem = subsystem >> 16,
                   .revision = 0xa1,
                   .base_class = gpu.pci.base_class.value_or(3),
                   .sub_class = gpu.pci.sub_class.value_or(2),
                   .irq = gpu.irq_num.value_or(0),
                   .address_bits = sim::is_from(gpu, Architecture::hopper) ? 52u : 47u,
                   .driver = "nvidia",
                   .current = {},
                   .best = {},
                   .bars = bars_of_gpu(gpu),
                   .near = near(machine, gpu)};
  if (generation && pcie.current_link_width) device.current = PciLink{*generation, *pcie.current_link_width};
  if (pcie.max_link_gen && pcie.max_link_width)
    device.best = PciLink{pcie.device_max_link_gen.value_or(*pcie.max_link_gen), *pcie.max_link_width};
  return device;
}

// The NVSwitches of the generation of the GPUs. 0: of later baseboards, where the host sees none.
std::uint32_t switch_model(const sim::Machine& machine) {
  const auto gpus = machine.gpus();
  const std::uint32_t architecture = gpus.empty() ? 0 : gpus[0].architecture.value_or(0);
  return architecture == Architecture::ampere ? 0x1af1 : architecture == Architecture::hopper ? 0x22a3 : 0;
}

PciDevice switch_at(const sim::Machine& machine, const sim::model::PciBusId& id) {
  return {.id = id,
          .vendor = kNvidia,
          .device = switch_model(machine),
          .subsystem_vendor = kNvidia,
          .subsystem = 0,
          .revision = 0xa1,
          .base_class = 6,
          .sub_class = 0x80,
          .irq = 0,
          .address_bits = 64,
          .driver = "nvidia-nvswitch",
          .current = {},
          .best = {},
          .bars = bars_of_switch(),
          .near = near(machine, id)};
}

PciDevice adapter_at(const sim::Machine& machine, const sim::model::PciBusId& id) {
  return {.id = id,
          .vendor = kMellanox,
          .device = adapter_model(machine),
          .subsystem_vendor = kMellanox,
          .subsystem = kConnectXBoard,
          .revision = 0,
          .base_class = 2,
          .sub_class = 7,
          .irq = 0,
          .address_bits = 64,
          .driver = "mlx5_core",
          .current = {},
          .best = {},
          .bars = bars_of_adapter(),
          .near = near(machine, id)};
}

}  // namespace

std::vector<PciDevice> pci_devices(const sim::Machine& machine) {
  std::vector<PciDevice> out;
  for (const auto& gpu : machine.gpus())
    if (auto device = device_of(machine, gpu)) {
      device->is_present = is_on_bus(gpu);
      device->answers = answers(gpu);
      out.push_back(*device);
    }
  if (switch_model(machine) != 0)
    for (const auto& nvswitch : machine.host().nvlink.switches)
      if (nvswitch.bdf) out.push_back(switch_at(machine, *nvswitch.bdf));
  for (const auto& nic : machine.host().pcie_topology.nics)
    if (nic.bus_id) out.push_back(adapter_at(machine, *nic.bus_id));
  AddressMap addresses;
  const bool loaded = is_driver_loaded(machine);
  for (auto& device : out) {
    addresses.place(device.bars);
    device.is_driven = loaded || device.vendor != kNvidia;
  }
  return out;
}

}  // namespace nvmlkit::root
