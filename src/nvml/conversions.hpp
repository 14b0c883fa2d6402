// From a struct that an older driver fills to the newest one. What the older does not tell is zero, or the value that
// the newest has for "not available".
#pragma once

#include <cstring>
#include <nvmlkit/abi/legacy.hpp>
#include <nvmlkit/detail/protocols.hpp>

namespace nvmlkit::nvml::detail {

void convert(const abi::nvmlMemory_t& from, abi::nvmlMemory_v2_t& to);
void convert(const abi::nvmlPciInfo_v2_t& from, abi::nvmlPciInfo_t& to);
void convert(const abi::nvmlDeviceAttributes_v1_t& from, abi::nvmlDeviceAttributes_t& to);
void convert(const abi::nvmlComputeInstanceInfo_v1_t& from, abi::nvmlComputeInstanceInfo_t& to);
void convert(const abi::nvmlVgpuLicenseInfo_v1_t& from, abi::nvmlVgpuLicenseInfo_t& to);
void convert(const abi::nvmlGridLicensableFeatures_v1_t& from, abi::nvmlGridLicensableFeatures_t& to);
void convert(const abi::nvmlProcessInfo_v1_t& from, abi::nvmlProcessInfo_v2_t& to);
void convert(const abi::nvmlGpuFabricInfo_v2_t& from, abi::nvmlGpuFabricInfo_v3_t& to);
void convert(const abi::nvmlNvLinkInfo_v1_t& from, abi::nvmlNvLinkInfo_v2_t& to);
void convert(const abi::nvmlGpuInstanceProfileInfo_v2_t& from, abi::nvmlGpuInstanceProfileInfo_v3_t& to);
void convert(const abi::nvmlComputeInstanceProfileInfo_v2_t& from, abi::nvmlComputeInstanceProfileInfo_v3_t& to);

template <class To, class From>
To converted(const From& from) {
  To to{};
  convert(from, to);
  return to;
}

template <class To, class From>
Result<std::vector<To>> converted_list(const Result<std::vector<From>>& from) {
  if (!from) return from.error();
  std::vector<To> to(from->size());
  for (std::size_t i = 0; i < to.size(); ++i) convert((*from)[i], to[i]);
  return to;
}

}  // namespace nvmlkit::nvml::detail
