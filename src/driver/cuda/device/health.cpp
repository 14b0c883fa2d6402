#include "driver/cuda/device/health.hpp"

#include "sim/native/faults.hpp"

namespace nvmlkit::cuda {

std::uint64_t uncorrected_errors(const Device& device) {
  return device.read([](const auto& gpu) { return gpu.ecc.errors.volatile_.double_bit.total.value_or(0); });
}

CUresult failure_since(const Device& device, std::uint64_t known_errors) {
  return device.read([&](const auto& gpu) {
    // The driver has no word for a GPU that answers no more.
    if (gpu.faults.availability != sim::faults::Availability::available) return CUDA_ERROR_UNKNOWN;
    const auto errors = gpu.ecc.errors.volatile_.double_bit.total.value_or(0);
    return errors > known_errors ? CUDA_ERROR_ECC_UNCORRECTABLE : CUDA_SUCCESS;
  });
}

}  // namespace nvmlkit::cuda
