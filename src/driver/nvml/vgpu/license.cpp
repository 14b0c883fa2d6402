// Licenses of the vGPU software, of GPUs in a VM. The struct has grown: version 4 has an expiry in each feature, and
// the older ones share a smaller struct.
#include <algorithm>
#include <cstring>

#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/vgpu/license_expiry.hpp"

namespace nvmlkit::driver::functions {
namespace {

nvmlGridLicenseFeatureCode_t code_of(std::string_view product) {
  const auto names = [&](std::string_view word) { return product.find(word) != std::string_view::npos; };
  if (names("Gaming")) return NVML_GRID_LICENSE_FEATURE_CODE_GAMING;
  if (names("Workstation")) return NVML_GRID_LICENSE_FEATURE_CODE_NVIDIA_RTX;
  return names("Compute") ? NVML_GRID_LICENSE_FEATURE_CODE_COMPUTE : NVML_GRID_LICENSE_FEATURE_CODE_VGPU;
}

// True where there is a license, and room in `features` for it.
template <class Features>
bool fill(const Gpu& gpu, Features& features) {
  using sim::model::VirtualizationMode;
  const auto mode = gpu.virtualization.mode.value_or(VirtualizationMode::none);
  const bool guest = mode == VirtualizationMode::vgpu || mode == VirtualizationMode::passthrough;
  const bool any = guest && gpu.grid_license.product;
  features.isGridLicenseSupported = any;
  features.licensableFeaturesCount = any;
  if (!any) return false;
  auto& feature = features.gridLicensableFeatures[0];
  feature = {};
  const auto product = gpu.grid_license.product->view();
  const bool licensed = gpu.grid_license.licensed.value_or(false);
  feature.featureCode = code_of(product);
  feature.featureState = licensed;
  feature.featureEnabled = 1;
  std::memcpy(feature.productName, product.data(), std::min(product.size(), sizeof feature.productName - 1));
  return true;
}

nvmlReturn_t older(const Gpu& gpu, nvmlGridLicensableFeatures_t* features) {
  fill(gpu, *reinterpret_cast<nvmlGridLicensableFeatures_v1_t*>(features));
  return NVML_SUCCESS;
}

}  // namespace

nvmlReturn_t DeviceGetGridLicensableFeatures(const Machine&, const Gpu& gpu, nvmlGridLicensableFeatures_t* features) {
  return older(gpu, features);
}

nvmlReturn_t DeviceGetGridLicensableFeatures_v2(const Machine&, const Gpu& gpu,
                                                nvmlGridLicensableFeatures_t* features) {
  return older(gpu, features);
}

nvmlReturn_t DeviceGetGridLicensableFeatures_v3(const Machine&, const Gpu& gpu,
                                                nvmlGridLicensableFeatures_t* features) {
  return older(gpu, features);
}

nvmlReturn_t DeviceGetGridLicensableFeatures_v4(const Machine&, const Gpu& gpu,
                                                nvmlGridLicensableFeatures_t* features) {
  if (fill(gpu, *features))
    fill_expiry(gpu.grid_license.licensed.value_or(false), gpu.grid_license.expiry,
                features->gridLicensableFeatures[0].licenseExpiry);
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
