// vGPU migration: descriptions of a vGPU instance and of a physical GPU, to be carried between hosts.
#pragma once

#include <cstddef>
#include <nvmlkit/generated/abi.hpp>
#include <nvmlkit/generated/values.hpp>
#include <nvmlkit/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace nvmlkit::nvml {

// The block of a running vGPU instance, as VgpuInstance::metadata() reads it. Its bytes go over the wire unchanged.
class VgpuMetadata {
 public:
  // malformed_answer when the bytes are too few, or fewer than they say themselves.
  static Result<VgpuMetadata> from_bytes(std::span<const std::byte> bytes);
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  unsigned int revision() const;
  VgpuGuestState guest_state() const;
  // Empty until the guest's driver has started.
  std::string guest_driver_version() const;
  std::string host_driver_version() const;
  unsigned int virtualization_caps() const;
  unsigned int guest_vgpu_version() const;
  std::span<const std::byte> opaque_data() const;

 private:
  VgpuMetadata() = default;
  std::vector<std::byte> bytes_;
};

// The block of a physical GPU, as Device::vgpu_metadata() reads it.
class PgpuMetadata {
 public:
  static Result<PgpuMetadata> from_bytes(std::span<const std::byte> bytes);
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  unsigned int revision() const;
  std::string host_driver_version() const;
  unsigned int virtualization_caps() const;
  unsigned int lowest_vgpu_version() const;
  unsigned int highest_vgpu_version() const;
  std::span<const std::byte> opaque_data() const;

 private:
  PgpuMetadata() = default;
  std::vector<std::byte> bytes_;
};

struct VgpuCompatibility {
  VgpuVmCompatibilities vm;        // in which states of the virtual machine it can go on
  VgpuCompatibilityLimits limits;  // what stands in the way; empty: nothing
};

struct VgpuVersions {
  VgpuVersionRange supported;
  VgpuVersionRange current;  // what an administrator narrowed it to
};

}  // namespace nvmlkit::nvml
