#include "libraries/nccl/functions/helpers.hpp"

#include <string>

#include "libraries/nccl/bootstrap.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t get_version(int* version) {
  if (!version) return ncclInvalidArgument;
  *version = kVersion;
  return ncclSuccess;
}

ncclResult_t get_unique_id(UniqueId* out) {
  log::version();
  if (!out) {
    log::warn(-1, "GetUniqueId : out argument is NULL");
    return ncclInvalidArgument;
  }
  return make_unique_id(*out);
}

const char* text_of_error(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* last_error(const Communicator*) {
  static thread_local std::string text;
  text = log::last_error();
  return text.c_str();
}

void reset_log() { log::reset(); }

}  // namespace nvmlkit::nccl::functions
