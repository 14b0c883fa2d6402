#include <nvmlkit/detail/protocols.hpp>
#include <nvmlkit/device.hpp>
#include <nvmlkit/mig_device.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;

Device MigDevice::as_device() const { return Device(session_, handle_); }

Result<std::vector<FieldValue>> MigDevice::field_values(std::span<const FieldQuery> queries) const {
  return as_device().field_values(queries);
}

Result<Device> MigDevice::gpu() const {
  abi::nvmlDevice_t gpu{};
  const Outcome outcome = call(*session_, &Table::DeviceGetDeviceHandleFromMigDeviceHandle, handle_, &gpu);
  if (!outcome.ok()) return outcome.failure();
  return Device(session_, gpu);
}

Result<std::vector<MigDevice>> Device::mig_devices() const {
  unsigned int most = 0;
  const Outcome counted = call(*session_, &Table::DeviceGetMaxMigDeviceCount, handle_, &most);
  if (!counted.ok()) return counted.failure();
  if (most > detail::kMostDevices) return Failure(Errc::malformed_answer, "nvmlDeviceGetMaxMigDeviceCount");
  std::vector<MigDevice> devices;
  for (unsigned int index = 0; index < most; ++index) {
    abi::nvmlDevice_t handle{};
    const Outcome outcome = call(*session_, &Table::DeviceGetMigDeviceHandleByIndex, handle_, index, &handle);
    if (outcome.ok())
      devices.emplace_back(session_, handle);
    else if (outcome.code != Errc::not_found)
      return outcome.failure();
  }
  return devices;
}

}  // namespace nvmlkit::nvml
