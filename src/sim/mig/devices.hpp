// MIG devices: a compute instance of a GPU instance, as NVML enumerates it beside the GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/generated/model.hpp"
#include "sim/mig/profiles.hpp"

namespace nvmlkit::sim::mig {

struct DeviceId {
  std::uint32_t instance, compute;
};

// A MIG device with what it is made of, all of it in the GPU.
struct Device {
  const model::MigInstance* instance = nullptr;
  const model::MigProfile* profile = nullptr;
  const model::MigComputeInstance* compute = nullptr;
  ComputeProfile compute_profile;

  DeviceId id() const;
};

// None where the GPU has no such device, or is not in MIG mode.
std::optional<Device> find_device(const model::Gpu& gpu, DeviceId id);

// Devices count in the order of their ids, without gaps.
std::optional<Device> device_at(const model::Gpu& gpu, std::uint32_t index);
std::optional<std::uint32_t> index_of(const model::Gpu& gpu, DeviceId id);

// The machine file's, else MIG-xxxxxxxx-xxxx-5xxx-xxxx-xxxxxxxxxxxx: the same for the same GPU and ids.
model::Text<48> uuid_of(const model::Gpu& gpu, DeviceId id);

// NVIDIA A100-SXM4-40GB MIG 1g.5gb
model::Text<128> name_of(const model::Gpu& gpu, const Device& device);

// The minor numbers of nvidia-caps that give access to a GPU instance and to a compute instance of the GPU with this
// minor number: of each GPU 15 GPU instances, with 8 compute instances each.
constexpr std::uint32_t capability_minor(std::uint32_t gpu_minor, std::uint32_t instance) {
  return 3 + (gpu_minor * 15 + instance) * 9;
}
constexpr std::uint32_t capability_minor(std::uint32_t gpu_minor, DeviceId id) {
  return capability_minor(gpu_minor, id.instance) + 1 + id.compute;
}

std::uint64_t bar1_bytes(const model::Gpu& gpu, const model::MigProfile& profile);

}  // namespace nvmlkit::sim::mig
