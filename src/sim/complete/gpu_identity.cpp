#include "sim/complete/gpu_identity.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "sim/model/identity.hpp"

namespace nvmlkit::sim {
namespace {

using model::PciBusId;

// PCI addresses as eight-GPU boards have them; the next eight GPUs are in the next PCI domain.
constexpr std::uint32_t kFirstIrq = 128;
constexpr std::uint32_t kBuses[] = {0x07, 0x0F, 0x47, 0x4E, 0x87, 0x90, 0xB7, 0xBD};

std::uint64_t key(const PciBusId& id) {
  return (std::uint64_t{id.domain} << 32) | (id.bus << 16) | (id.device << 8) | id.function;
}

class FreeAddresses {
 public:
  explicit FreeAddresses(std::span<const model::Gpu> gpus) {
    for (const auto& gpu : gpus)
      if (gpu.pci.bus_id) taken_.push_back(key(*gpu.pci.bus_id));
    std::sort(taken_.begin(), taken_.end());
  }

  PciBusId for_gpu(std::uint32_t index) const {
    PciBusId id{index / 8, kBuses[index % 8], 0, 0};
    while (std::binary_search(taken_.begin(), taken_.end(), key(id))) ++id.device;
    return id;
  }

 private:
  std::vector<std::uint64_t> taken_;
};

}  // namespace

void complete_identity(Machine& machine, std::string_view seed) {
  std::optional<FreeAddresses> addresses;
  std::uint32_t index = 0;
  for (auto& gpu : machine.gpus()) {
    const std::string_view name = gpu.name ? gpu.name->view() : std::string_view();
    if (!gpu.uuid && !gpu.uuid.stated) gpu.uuid.derive_from(std::optional(derived_uuid(seeded(name, seed), index)));
    if (!gpu.pci.bus_id && !gpu.pci.bus_id.stated) {
      if (!addresses) addresses.emplace(machine.gpus());
      gpu.pci.bus_id.derive_from(std::optional(addresses->for_gpu(index)));
    }
    gpu.minor_number.derive_from(std::optional(index));
    gpu.irq_num.derive_from(std::optional(kFirstIrq + index));
    if (const auto& id = gpu.pci.bus_id) gpu.board_id.derive_from(std::optional((id->domain << 16) | (id->bus << 8)));
    const std::string_view uuid = gpu.uuid ? gpu.uuid->view() : std::string_view();
    if (gpu.uuid) gpu.pdi.derive_from(std::optional(identity_hash(uuid, 3)));
    if (gpu.inforom.image_version)
      gpu.inforom.checksum.derive_from(std::optional(
          static_cast<std::uint32_t>(identity_hash(uuid, identity_hash(gpu.inforom.image_version->view(), 4)))));
    ++index;
  }
}

}  // namespace nvmlkit::sim
