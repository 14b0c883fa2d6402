#include "sim/identity.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

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

// FNV-1a with a good mixer behind it; the values have to be stable, not secret.
std::uint64_t identity_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t h = 0xCBF29CE484222325ull ^ (seed * 0x9E3779B97F4A7C15ull);
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  return h ^ (h >> 31);
}

model::Text<80> derived_uuid(std::string_view model_name, std::uint32_t index) {
  const std::uint64_t a = identity_hash(model_name, 2 * std::uint64_t{index} + 1),
                      b = identity_hash(model_name, 2 * std::uint64_t{index} + 2);
  char text[41];
  std::snprintf(text, sizeof(text), "GPU-%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>((a >> 16) & 0xFFFF), static_cast<unsigned>(a & 0xFFFF),
                static_cast<unsigned>(b >> 48), static_cast<unsigned long long>(b & 0xFFFFFFFFFFFFull));
  return model::Text<80>(std::string_view(text));
}

std::string serial_after(std::string_view serial, std::uint32_t steps) {
  std::string out(serial);
  std::uint64_t carry = steps;
  for (auto digit = out.rbegin(); digit != out.rend() && *digit >= '0' && *digit <= '9' && carry > 0; ++digit) {
    carry += static_cast<std::uint64_t>(*digit - '0');
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  return out;
}

void complete_identity(Machine& machine) {
  std::optional<FreeAddresses> addresses;
  std::uint32_t index = 0;
  for (auto& gpu : machine.gpus()) {
    const std::string_view name = gpu.name ? gpu.name->view() : std::string_view();
    if (!gpu.uuid && !gpu.uuid.stated) gpu.uuid.derive_from(std::optional(derived_uuid(name, index)));
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
