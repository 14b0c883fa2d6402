#include "driver/nvml/library/error_string.hpp"

#include <cstddef>

namespace nvmlkit::driver {

// Texts as the libraries of 550, 555 and 580 answer; 535 has none for 28 and 29, 550 and 555 none for 30.
const char* error_string(int code, unsigned int branch) {
  static constexpr const char* kTexts[] = {
      "Success",
      "Uninitialized",
      "Invalid Argument",
      "Not Supported",
      "Insufficient Permissions",
      "Already Initialized",
      "Not Found",
      "Insufficient Size",
      "Insufficient External Power",
      "Driver Not Loaded",
      "Timeout",
      "Interrupt Request Issue",
      "NVML Shared Library Not Found",
      "Function Not Found",
      "Corrupted infoROM",
      "GPU is lost",
      "GPU requires reset",
      "GPU access blocked by the operating system",
      "Driver/library version mismatch",
      "In use by another client",
      "Insufficient Memory",
      "No data",
      "vGPU ECC not supported",
      "Insufficient Resources",
      "Invalid Frequency",
      "Argument version mismatch",
      "Requested functionality has been deprecated",
      "System is not in ready state",
      "No supported GPUs were found",
      "Resource not in correct state to perform requested operation",
      "Reset type is not supported for given device",
  };
  const auto index = static_cast<std::size_t>(code);
  constexpr unsigned int kFirstWithResetTypes = 580;
  if (code == 30 && branch != 0 && branch < kFirstWithResetTypes) return "Unknown Error";
  return code >= 0 && index < sizeof kTexts / sizeof *kTexts ? kTexts[index] : "Unknown Error";
}

}  // namespace nvmlkit::driver
