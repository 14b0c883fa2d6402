#include "libraries/cufft/functions/settings.hpp"

#include "libraries/common/soname.hpp"

namespace nvmlkit::cufft::functions {
namespace {

// Of CUDA 12.9 and of CUDA 13.0: the digits that cuFFT uses.
int version() { return libraries::is_loaded_as("libcufft.so.11") ? 11410 : 12000; }

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

// NVIDIA's library takes no place for the answer, too.
cufftResult tell_version(int* out) {
  if (out) *out = version();
  return CUFFT_SUCCESS;
}

cufftResult property_of_library(libraryPropertyType type, int* value) {
  if (!value) return CUFFT_INVALID_VALUE;
  switch (type) {
    case MAJOR_VERSION:
      *value = version() / 1000;
      return CUFFT_SUCCESS;
    case MINOR_VERSION:
      *value = version() / 100 % 10;
      return CUFFT_SUCCESS;
    case PATCH_LEVEL:
      *value = version() % 100;
      return CUFFT_SUCCESS;
  }
  return CUFFT_INVALID_TYPE;
}

cufftResult set_property(const Call& call, cufftProperty property, long long value) {
  long long* const place = place_of(call.plan, property);
  if (!place) return CUFFT_NOT_SUPPORTED;
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
