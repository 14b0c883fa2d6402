#include "conversions.hpp"

#include <nvmlkit/generated/abi.hpp>

namespace nvmlkit::nvml::detail {
namespace {

// Copies a text between buffers of different sizes; the rest of `to` is already zero.
template <std::size_t To, std::size_t From>
void copy_text(const char (&from)[From], char (&to)[To]) {
  const std::string text = text_of(from, From);
  std::memcpy(to, text.data(), std::min(text.size(), To - 1));
}

}  // namespace

void convert(const abi::nvmlMemory_t& from, abi::nvmlMemory_v2_t& to) {
  to.total = from.total;
  to.free = from.free;
  // Version 1 counts what the driver reserves as used, and does not tell how much that is.
  to.used = from.used;
  to.reserved = 0;
}

void convert(const abi::nvmlPciInfo_v2_t& from, abi::nvmlPciInfo_t& to) {
  copy_text(from.busId, to.busIdLegacy);
  copy_text(from.busId, to.busId);
  to.domain = from.domain;
  to.bus = from.bus;
  to.device = from.device;
  to.pciDeviceId = from.pciDeviceId;
  to.pciSubSystemId = from.pciSubSystemId;
}

void convert(const abi::nvmlDeviceAttributes_v1_t& from, abi::nvmlDeviceAttributes_t& to) {
  to.multiprocessorCount = from.multiprocessorCount;
  to.sharedCopyEngineCount = from.sharedCopyEngineCount;
  to.sharedDecoderCount = from.sharedDecoderCount;
  to.sharedEncoderCount = from.sharedEncoderCount;
  to.sharedJpegCount = from.sharedJpegCount;
  to.sharedOfaCount = from.sharedOfaCount;
}

void convert(const abi::nvmlComputeInstanceInfo_v1_t& from, abi::nvmlComputeInstanceInfo_t& to) {
  to.device = from.device;
  to.gpuInstance = from.gpuInstance;
  to.id = from.id;
  to.profileId = from.profileId;
}

void convert(const abi::nvmlVgpuLicenseInfo_v1_t& from, abi::nvmlVgpuLicenseInfo_t& to) {
  to.isLicensed = from.isLicensed;
  to.licenseExpiry = from.licenseExpiry;
  to.currentState = abi::GRID_LICENSE_STATE_UNKNOWN;
}

void convert(const abi::nvmlGridLicensableFeatures_v1_t& from, abi::nvmlGridLicensableFeatures_t& to) {
  to.isGridLicenseSupported = from.isGridLicenseSupported;
  to.licensableFeaturesCount = from.licensableFeaturesCount;
  for (int i = 0; i < abi::GRID_LICENSE_FEATURE_MAX_COUNT; ++i) {
    const auto& feature = from.gridLicensableFeatures[i];
    auto& newest = to.gridLicensableFeatures[i];
    newest.featureCode = feature.featureCode;
    newest.featureState = feature.featureState;
    copy_text(feature.licenseInfo, newest.licenseInfo);
    copy_text(feature.productName, newest.productName);
    newest.featureEnabled = feature.featureEnabled;
  }
}

void convert(const abi::nvmlProcessInfo_v1_t& from, abi::nvmlProcessInfo_v2_t& to) {
  to.pid = from.pid;
  to.usedGpuMemory = from.usedGpuMemory;
  to.gpuInstanceId = ~0U;
  to.computeInstanceId = ~0U;
}

void convert(const abi::nvmlGpuFabricInfo_v2_t& from, abi::nvmlGpuFabricInfo_v3_t& to) {
  std::memcpy(to.clusterUuid, from.clusterUuid, sizeof to.clusterUuid);
  to.status = from.status;
  to.cliqueId = from.cliqueId;
  to.state = from.state;
  to.healthMask = from.healthMask;
  to.healthSummary = abi::GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED;
}

void convert(const abi::nvmlNvLinkInfo_v1_t& from, abi::nvmlNvLinkInfo_v2_t& to) {
  to.isNvleEnabled = from.isNvleEnabled;
}

void convert(const abi::nvmlGpuInstanceProfileInfo_v2_t& from, abi::nvmlGpuInstanceProfileInfo_v3_t& to) {
  to.id = from.id;
  to.sliceCount = from.sliceCount;
  to.instanceCount = from.instanceCount;
  to.multiprocessorCount = from.multiprocessorCount;
  to.copyEngineCount = from.copyEngineCount;
  to.decoderCount = from.decoderCount;
  to.encoderCount = from.encoderCount;
  to.jpegCount = from.jpegCount;
  to.ofaCount = from.ofaCount;
  to.memorySizeMB = from.memorySizeMB;
  copy_text(from.name, to.name);
  to.capabilities = from.isP2pSupported ? abi::GPU_INSTANCE_PROFILE_CAPS_P2P : 0;
}

void convert(const abi::nvmlComputeInstanceProfileInfo_v2_t& from, abi::nvmlComputeInstanceProfileInfo_v3_t& to) {
  to.id = from.id;
  to.sliceCount = from.sliceCount;
  to.instanceCount = from.instanceCount;
  to.multiprocessorCount = from.multiprocessorCount;
  to.sharedCopyEngineCount = from.sharedCopyEngineCount;
  to.sharedDecoderCount = from.sharedDecoderCount;
  to.sharedEncoderCount = from.sharedEncoderCount;
  to.sharedJpegCount = from.sharedJpegCount;
  to.sharedOfaCount = from.sharedOfaCount;
  copy_text(from.name, to.name);
}

}  // namespace nvmlkit::nvml::detail
