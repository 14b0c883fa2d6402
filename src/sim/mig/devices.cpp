#include "sim/mig/devices.hpp"

#include <cstdio>

#include "sim/mig/instances.hpp"
#include "sim/model/identity.hpp"

namespace nvmlkit::sim::mig {
namespace {

using model::Gpu;
using model::MigComputeInstance;
using model::MigInstance;

std::optional<Device> device_of(const Gpu& gpu, const MigInstance& instance, const MigComputeInstance& compute) {
  Device device{&instance, profile_of(gpu, instance), &compute, {}};
  if (!device.profile) return {};
  const auto profile = compute_profile_of(gpu, *device.profile, compute);
  if (!profile || !instance.id || !compute.id) return {};
  device.compute_profile = *profile;
  return device;
}

}  // namespace

DeviceId Device::id() const { return {*instance->id, *compute->id}; }

std::optional<Device> find_device(const Gpu& gpu, DeviceId id) {
  if (!enabled(gpu)) return {};
  const auto* instance = find_instance(gpu, id.instance);
  const auto* compute = instance ? find_compute(*instance, id.compute) : nullptr;
  return compute ? device_of(gpu, *instance, *compute) : std::nullopt;
}

std::optional<Device> device_at(const Gpu& gpu, std::uint32_t index) {
  if (!enabled(gpu)) return {};
  for (const auto& instance : gpu.mig.instances)
    for (const auto& compute : instance.compute_instances)
      if (index-- == 0) return device_of(gpu, instance, compute);
  return {};
}

std::optional<std::uint32_t> index_of(const Gpu& gpu, DeviceId id) {
  std::uint32_t index = 0;
  for (const auto& instance : gpu.mig.instances)
    for (const auto& compute : instance.compute_instances) {
      if (instance.id && compute.id && *instance.id == id.instance && *compute.id == id.compute) return index;
      ++index;
    }
  return {};
}

model::Text<48> uuid_of(const Gpu& gpu, DeviceId id) {
  const auto* instance = find_instance(gpu, id.instance);
  const auto* compute = instance ? find_compute(*instance, id.compute) : nullptr;
  if (compute && compute->uuid) return model::Text<48>(compute->uuid->view());
  const std::string_view uuid = gpu.uuid ? gpu.uuid->view() : std::string_view();
  const std::uint64_t place = (std::uint64_t{id.instance} << 8) | id.compute;
  const auto a = identity_hash(uuid, 0x100000 + 2 * place), b = identity_hash(uuid, 0x100001 + 2 * place);
  char text[48];
  // Version 5 and its variant, as the real ones are.
  std::snprintf(text, sizeof text, "MIG-%08x-%04x-5%03x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>((a >> 16) & 0xFFFF), static_cast<unsigned>(a & 0xFFF),
                static_cast<unsigned>(0x8000 | ((b >> 48) & 0x3FFF)),
                static_cast<unsigned long long>(b & 0xFFFFFFFFFFFFULL));
  return model::Text<48>(std::string_view(text));
}

model::Text<128> name_of(const Gpu& gpu, const Device& device) {
  const auto profile = compute_name(*device.profile, device.compute_profile);
  const std::string_view own = gpu.name ? gpu.name->view() : std::string_view(), part = profile.view();
  char text[160];
  std::snprintf(text, sizeof text, "%.*s MIG %.*s", static_cast<int>(own.size()), own.data(),
                static_cast<int>(part.size()), part.data());
  return model::Text<128>(std::string_view(text));
}

std::uint64_t bar1_bytes(const Gpu& gpu, const model::MigProfile& profile) {
  if (profile.bar1_mib) return *profile.bar1_mib << 20;
  const auto slices = memory_slices(gpu);
  const auto all = gpu.bar1_memory.total_bytes.value_or(0) >> 20;
  const auto share = slices == 0 ? 0 : all * profile.size.value_or(0) / slices;
  return share == 0 ? 0 : (share - 1) << 20;
}

}  // namespace nvmlkit::sim::mig
