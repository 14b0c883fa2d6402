#include "libraries/nccl/functions/operators.hpp"

#include <cstring>

#include "libraries/nccl/communicator.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t create_pre_mul_sum(ncclRedOp_t* out, void* scalar, ncclDataType_t type, ncclScalarResidence_t place,
                                Communicator* handle) {
  const auto communicator = find(handle);
  if (!communicator || !out || !scalar || type >= ncclNumTypes || place > ncclScalarHostImmediate) {
    log::warn(-1, "ncclRedOpCreatePreMulSum : an argument is invalid");
    return ncclInvalidArgument;
  }
  Operator made;
  made.kind = ncclNumOps;
  if (place == ncclScalarHostImmediate)
    std::memcpy(&made.scalar, scalar, size_of(type));
  else
    made.scalar_place = scalar;
  *out = static_cast<ncclRedOp_t>(communicator->add_operator(made));
  return ncclSuccess;
}

ncclResult_t destroy_operator(ncclRedOp_t number, Communicator* handle) {
  const auto communicator = find(handle);
  if (!communicator) return ncclInvalidArgument;
  if (number < ncclNumOps) {
    log::warn(communicator->device, "ncclRedOpDestroy : operator is a NCCL builtin.");
    return ncclInvalidArgument;
  }
  if (!communicator->remove_operator(static_cast<int>(number))) {
    log::warn(communicator->device, "ncclRedOpDestroy : operator unknown to this communicator.");
    return ncclInvalidArgument;
  }
  return ncclSuccess;
}

}  // namespace nvmlkit::nccl::functions
