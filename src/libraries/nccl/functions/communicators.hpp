// Communicators: made, split, asked, ended.
#pragma once

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t init_rank(Communicator** out, int ranks, UniqueId id, int rank);
ncclResult_t init_rank_with(Communicator** out, int ranks, UniqueId id, int rank, Config* config);
ncclResult_t init_rank_scalable(Communicator** out, int ranks, int rank, int count, UniqueId* ids, Config* config);
ncclResult_t init_all(Communicator** out, int count, const int* devices);
ncclResult_t split(Communicator* parent, int color, int key, Communicator** out, Config* config);
ncclResult_t shrink(Communicator* parent, int* excluded, int count, Communicator** out, Config* config, int flags);

ncclResult_t finalize(Communicator* communicator);
ncclResult_t destroy(Communicator* communicator);
ncclResult_t abort(Communicator* communicator);
ncclResult_t revoke(Communicator* communicator, int flags);

ncclResult_t async_error(Communicator* communicator, ncclResult_t* out);
ncclResult_t count(const Communicator* communicator, int* out);
ncclResult_t device(const Communicator* communicator, int* out);
ncclResult_t user_rank(const Communicator* communicator, int* out);

}  // namespace nvmlkit::nccl::functions
