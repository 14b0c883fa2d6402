#include "libraries/nccl/settings.hpp"

#include <cstddef>
#include <cstdlib>

#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl {

ncclResult_t read_settings(const Config* config, Settings& out) {
  if (config) {
    if (config->magic != kConfigMagic || config->size < offsetof(Config, blocking) + sizeof config->blocking) {
      log::warn(-1, "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
      return ncclInvalidArgument;
    }
    const int blocking = config->blocking;
    if (blocking != kUnset && blocking != 0 && blocking != 1) {
      log::warn(-1, "Invalid config blocking attribute value %d", blocking);
      return ncclInvalidArgument;
    }
    if (blocking != kUnset) out.is_blocking = blocking == 1;
  }
  const char* const word = std::getenv("NCCL_COMM_BLOCKING");
  if (word && *word) out.is_blocking = *word != '0';
  return ncclSuccess;
}

}  // namespace nvmlkit::nccl
