#include "libraries/cufft/functions/settings.hpp"

namespace nvmlkit::cufft::functions {
namespace {

// The number of the library that comes with CUDA 12.6, in the digits that cuFFT uses.
constexpr int kMajor = 11, kMinor = 3, kPatch = 0;

long long* place_of(Plan& plan, cufftProperty property) {
  if (property == NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT) return &plan.patient;
  if (property == NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS) return &plan.threads;
  return nullptr;
}

}  // namespace

cufftResult set_stream(const Call& call, CUstream stream) {
  call.plan.stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult version(int* version) {
  if (!version) return CUFFT_INVALID_VALUE;
  *version = kMajor * 1000 + kMinor * 100 + kPatch;
  return CUFFT_SUCCESS;
}

cufftResult property_of_library(libraryPropertyType type, int* value) {
  if (!value) return CUFFT_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = kMajor;
      return CUFFT_SUCCESS;
    case MINOR_VERSION:
      *value = kMinor;
      return CUFFT_SUCCESS;
    case PATCH_LEVEL:
      *value = kPatch;
      return CUFFT_SUCCESS;
  }
  return CUFFT_INVALID_VALUE;
}

cufftResult set_property(const Call& call, cufftProperty property, long long value) {
  long long* const place = place_of(call.plan, property);
  if (!place) return CUFFT_INVALID_VALUE;
  *place = value;
  return CUFFT_SUCCESS;
}

cufftResult get_property(const Call& call, cufftProperty property, long long* value) {
  const long long* const place = place_of(call.plan, property);
  if (!place || !value) return CUFFT_INVALID_VALUE;
  *value = *place;
  return CUFFT_SUCCESS;
}

cufftResult reset_property(const Call& call, cufftProperty property) { return set_property(call, property, 0); }

}  // namespace nvmlkit::cufft::functions
