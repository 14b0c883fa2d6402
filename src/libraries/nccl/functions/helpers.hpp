// Versions, ids, texts.
#pragma once

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t get_version(int* version);
ncclResult_t get_unique_id(UniqueId* out);
const char* text_of_error(ncclResult_t result);
const char* last_error(const Communicator* communicator);
void reset_log();

}  // namespace nvmlkit::nccl::functions
