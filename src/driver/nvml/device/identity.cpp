#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceGetInforomVersion(const Machine&, const Gpu& gpu, nvmlInforomObject_t object, char* version,
                                     unsigned int length) {
  switch (object) {
    case NVML_INFOROM_OEM:
      return read(gpu.inforom.oem_object, version, length);
    case NVML_INFOROM_ECC:
      return read(gpu.inforom.ecc_object, version, length);
    case NVML_INFOROM_POWER:
      return read(gpu.inforom.pwr_object, version, length);
    case NVML_INFOROM_DEN:
      return read(gpu.inforom.den_object, version, length);
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
}

nvmlReturn_t DeviceValidateInforom(const Machine&, const Gpu& gpu) {
  return gpu.inforom.valid.value_or(true) ? NVML_SUCCESS : NVML_ERROR_CORRUPTED_INFOROM;
}

nvmlReturn_t DeviceGetAPIRestriction(const Machine&, const Gpu& gpu, nvmlRestrictedAPI_t apiType,
                                     nvmlEnableState_t* isRestricted) {
  return read(apiType == NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS ? gpu.api_restriction.set_application_clocks
                                                                    : gpu.api_restriction.set_auto_boosted_clocks,
              isRestricted);
}

// The buffer has no length; the header implies 64 bytes.
nvmlReturn_t DeviceGetGspFirmwareVersion(const Machine&, const Gpu& gpu, char* version) {
  return read(gpu.gsp_firmware.version, version, GSP_FIRMWARE_VERSION_BUF_SIZE);
}

nvmlReturn_t DeviceGetCapabilities(const Machine&, const Gpu& gpu, nvmlDeviceCapabilities_t* caps) {
  if (!gpu.egm) return NVML_ERROR_NOT_SUPPORTED;
  caps->capMask = static_cast<nvmlEnableState_t>(*gpu.egm) == NVML_FEATURE_ENABLED ? DEV_CAP_EGM : 0;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetHostname_v1(const Machine&, const Gpu& gpu, nvmlHostname_v1_t* hostname) {
  return read(gpu.hostname, hostname->value, sizeof hostname->value);
}

nvmlReturn_t DeviceSetHostname_v1(const Machine&, Gpu& gpu, nvmlHostname_v1_t* hostname) {
  if (!gpu.hostname) return NVML_ERROR_NOT_SUPPORTED;
  const auto size = strnlen(hostname->value, sizeof hostname->value);
  if (size == sizeof hostname->value) return NVML_ERROR_INVALID_ARGUMENT;
  gpu.hostname = std::string_view(hostname->value, size);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetBridgeChipInfo(const Machine&, const Gpu& gpu, nvmlBridgeChipHierarchy_t* bridgeHierarchy) {
  const auto chips = gpu.bridge_chips.span();
  if (chips.empty()) return NVML_ERROR_NOT_SUPPORTED;
  bridgeHierarchy->bridgeCount = static_cast<unsigned char>(chips.size());
  for (std::size_t i = 0; i < chips.size(); ++i)
    bridgeHierarchy->bridgeChipInfo[i] = {
        static_cast<nvmlBridgeChipType_t>(chips[i].type.value_or(NVML_BRIDGE_CHIP_PLX)),
        chips[i].firmware_version.value_or(0)};
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
