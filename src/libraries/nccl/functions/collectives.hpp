// Collectives, sends and receives. They return when the work is in the stream.
#pragma once

#include "libraries/nccl/types.hpp"

namespace nvmlkit::nccl::functions {

ncclResult_t all_reduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t by,
                        Communicator* communicator, CUstream stream);
ncclResult_t broadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                       Communicator* communicator, CUstream stream);
ncclResult_t broadcast_in_place(void* memory, std::size_t count, ncclDataType_t type, int root,
                                Communicator* communicator, CUstream stream);
ncclResult_t reduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t by, int root,
                    Communicator* communicator, CUstream stream);
ncclResult_t all_gather(const void* from, void* to, std::size_t count, ncclDataType_t type, Communicator* communicator,
                        CUstream stream);
ncclResult_t reduce_scatter(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t by,
                            Communicator* communicator, CUstream stream);
ncclResult_t all_to_all(const void* from, void* to, std::size_t count, ncclDataType_t type, Communicator* communicator,
                        CUstream stream);
ncclResult_t gather(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                    Communicator* communicator, CUstream stream);
ncclResult_t scatter(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                     Communicator* communicator, CUstream stream);
ncclResult_t send(const void* from, std::size_t count, ncclDataType_t type, int peer, Communicator* communicator,
                  CUstream stream);
ncclResult_t receive(void* to, std::size_t count, ncclDataType_t type, int peer, Communicator* communicator,
                     CUstream stream);

}  // namespace nvmlkit::nccl::functions
