// The place of the GPU in its rack.
#include <algorithm>
#include <cstring>

#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

// Of a GPU in a fabric without a slot or tray, for which nvidia-smi prints N/A. Others report 0.
constexpr unsigned int kNowhere = 0xff;

template <class T>
unsigned char byte(const sim::model::Field<T>& field, T otherwise = 0) {
  return static_cast<unsigned char>(field.value_or(otherwise));
}

}  // namespace

// Both versions have the same layout; the newer one calls things by other names.
nvmlReturn_t DeviceGetPlatformInfo(const Machine&, const Gpu& gpu, nvmlPlatformInfo_t* platformInfo) {
  const auto& platform = gpu.platform;
  const bool known = platform.chassis_serial_number || platform.slot_number || platform.tray_index ||
                     platform.host_id || platform.peer_type || platform.module_id || platform.gpu_fabric_guid;
  if (!known) return NVML_ERROR_NOT_SUPPORTED;
  const auto nowhere = platform.peer_type ? kNowhere : 0;
  auto& info = *platformInfo;
  std::memset(info.ibGuid, 0, sizeof info.ibGuid);
  std::memset(info.chassisSerialNumber, 0, sizeof info.chassisSerialNumber);
  const auto guid = platform.gpu_fabric_guid.value_or(0);
  std::memcpy(info.ibGuid, &guid, sizeof guid);
  if (const auto& serial = platform.chassis_serial_number)
    std::memcpy(info.chassisSerialNumber, serial->view().data(),
                std::min(serial->view().size(), sizeof info.chassisSerialNumber));
  info.slotNumber = byte(platform.slot_number, nowhere);
  info.trayIndex = byte(platform.tray_index, nowhere);
  info.hostId = byte(platform.host_id, 1U);  // hosts count from 1
  info.peerType = platform.peer_type && platform.peer_type->view() == "Switch Connected" ? 1 : 0;
  info.moduleId = byte(platform.module_id, gpu.module_id.value_or(0));
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
