// The power state of a GPU, from the kernel. The driver is not called, because a call to NVML wakes a sleeping GPU.
#pragma once

#include <nvmlkit/result.hpp>
#include <string>
#include <string_view>

namespace nvmlkit::nvml {

// The runtime power management state of a PCI device, as the kernel names it.
enum class RuntimeStatus {
  active,
  suspended,
  suspending,
  resuming,
  error,
  unsupported,  // runtime power management is not in use: the device is awake
};

// Of the device at `pci_bus_id` ("0000:65:00.0"; domains of eight digits and any case as NVML writes them), from
// SYSFS/bus/pci/devices/ID/power/runtime_status. For a monitor that must not wake laptops' GPUs: look here first, and
// ask NVML when the answer is not `suspended`. Errc::invalid_argument for a text that is no PCI address, not_found when
// there is no such device, not_supported where the system does not tell.
Result<RuntimeStatus> runtime_status(std::string_view pci_bus_id, const std::string& sysfs = "/sys");

// "suspended".
const char* to_string(RuntimeStatus status) noexcept;

}  // namespace nvmlkit::nvml
