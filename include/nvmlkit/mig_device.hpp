// A MIG device: a compute instance of a GPU instance, as a device of its own.
#pragma once

#include <nvmlkit/field_values.hpp>
#include <nvmlkit/generated/device_methods.hpp>
#include <span>

namespace nvmlkit::nvml {

// A MIG device. Has only the queries that a MIG device answers; clocks, power, temperature and the like belong to its
// GPU: gpu(). Stale after its instances are destroyed: calls then answer not_found or invalid_argument.
class MigDevice : private DeviceMethods {
 public:
  using DeviceMethods::DeviceMethods;

  using DeviceMethods::handle;
  using DeviceMethods::session;
  using DeviceMethods::table;
  friend bool operator==(const MigDevice& a, const MigDevice& b) noexcept { return a.handle() == b.handle(); }

  using DeviceMethods::attributes;
  using DeviceMethods::bar1_memory_info;
  using DeviceMethods::compute_instance_id;
  using DeviceMethods::compute_running_processes;
  using DeviceMethods::gpm_query_device_support;
  using DeviceMethods::gpu_instance_id;
  using DeviceMethods::graphics_running_processes;
  using DeviceMethods::memory_error_counter;
  using DeviceMethods::memory_info;
  using DeviceMethods::mps_compute_running_processes;
  using DeviceMethods::name;
  using DeviceMethods::process_utilization;
  using DeviceMethods::uuid;

  // As Device::field_values().
  Result<std::vector<FieldValue>> field_values(std::span<const FieldQuery> queries) const;

  // The GPU that it is a part of. @c nvmlDeviceGetDeviceHandleFromMigDeviceHandle
  Result<Device> gpu() const;
  // The same handle as a plain device, for calls that this class leaves out, GPM samples and events.
  Device as_device() const;
};

}  // namespace nvmlkit::nvml
