// Layouts that the oldest entry points still use and no header declares any more. The table types those entry points
// with the newest struct, as the last header did; pass one of these through reinterpret_cast.
#pragma once

#include <nvmlkit/generated/abi.hpp>

namespace nvmlkit::abi {

// nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v2, nvmlDeviceGetNvLinkRemotePciInfo, nvmlDeviceRemoveGpu.
struct nvmlPciInfo_v2_t {
  char busId[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pciDeviceId;
  unsigned int pciSubSystemId;
  unsigned int reserved0;
  unsigned int reserved1;
  unsigned int reserved2;
  unsigned int reserved3;
};
static_assert(sizeof(nvmlPciInfo_v2_t) == 52);

// nvmlDeviceGetAttributes.
struct nvmlDeviceAttributes_v1_t {
  unsigned int multiprocessorCount;
  unsigned int sharedCopyEngineCount;
  unsigned int sharedDecoderCount;
  unsigned int sharedEncoderCount;
  unsigned int sharedJpegCount;
  unsigned int sharedOfaCount;
};
static_assert(sizeof(nvmlDeviceAttributes_v1_t) == 24);

// nvmlComputeInstanceGetInfo.
struct nvmlComputeInstanceInfo_v1_t {
  nvmlDevice_t device;
  nvmlGpuInstance_t gpuInstance;
  unsigned int id;
  unsigned int profileId;
};
static_assert(sizeof(nvmlComputeInstanceInfo_v1_t) == 24);

// nvmlDeviceGetComputeRunningProcesses_v3 and its sisters in drivers from 535 to before 535.98, whose callers had room
// for 24 bytes.
struct nvmlProcessInfo_v2_535_t {
  unsigned int pid;
  unsigned long long usedGpuMemory;
  unsigned int gpuInstanceId;
  unsigned int computeInstanceId;
  unsigned long long usedGpuCcProtectedMemory;
};
static_assert(sizeof(nvmlProcessInfo_v2_535_t) == 32);

// nvmlEventSetWait.
struct nvmlEventData_v1_t {
  nvmlDevice_t device;
  unsigned long long eventType;
  unsigned long long eventData;
};
static_assert(sizeof(nvmlEventData_v1_t) == 24);

// nvmlVgpuInstanceGetLicenseInfo.
struct nvmlVgpuLicenseInfo_v1_t {
  unsigned char isLicensed;
  nvmlVgpuLicenseExpiry_t licenseExpiry;
};
static_assert(sizeof(nvmlVgpuLicenseInfo_v1_t) == 20);

// nvmlDeviceGetGridLicensableFeatures, _v2 and _v3.
struct nvmlGridLicensableFeature_v1_t {
  nvmlGridLicenseFeatureCode_t featureCode;
  unsigned int featureState;
  char licenseInfo[GRID_LICENSE_BUFFER_SIZE];
  char productName[GRID_LICENSE_BUFFER_SIZE];
  unsigned int featureEnabled;
};

struct nvmlGridLicensableFeatures_v1_t {
  int isGridLicenseSupported;
  unsigned int licensableFeaturesCount;
  nvmlGridLicensableFeature_v1_t gridLicensableFeatures[GRID_LICENSE_FEATURE_MAX_COUNT];
};
static_assert(sizeof(nvmlGridLicensableFeatures_v1_t) == 812);

}  // namespace nvmlkit::abi
