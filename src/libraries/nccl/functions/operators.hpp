// Operators that a program makes.
#pragma once

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t create_pre_mul_sum(ncclRedOp_t* out, void* scalar, ncclDataType_t type, ncclScalarResidence_t place,
                                Communicator* communicator);
ncclResult_t destroy_operator(ncclRedOp_t number, Communicator* communicator);

}  // namespace nvmlkit::nccl::functions
