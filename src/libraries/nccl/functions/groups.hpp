// Calls that belong together.
#pragma once

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t group_start();
ncclResult_t group_end();
// The group is not started; the estimate is of its bytes.
ncclResult_t group_simulate_end(SimulationInfo* info);

}  // namespace nvmlkit::nccl::functions
