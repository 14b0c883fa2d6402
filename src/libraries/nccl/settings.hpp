// What ncclConfig_t and the environment say of a communicator.
#pragma once

#include "libraries/nccl/communicator.hpp"

namespace nvmlkit::nccl {

ncclResult_t read_settings(const Config* config, Settings& out);

}  // namespace nvmlkit::nccl
