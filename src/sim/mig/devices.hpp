// MIG devices: a compute instance of a GPU instance, as NVML hands it out beside the GPUs.
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

std::uint64_t bar1_bytes(const model::Gpu& gpu, const model::MigProfile& profile);

}  // namespace nvmlkit::sim::mig
