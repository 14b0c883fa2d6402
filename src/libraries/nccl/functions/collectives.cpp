#include "libraries/nccl/functions/collectives.hpp"

#include "libraries/nccl/group.hpp"
#include "libraries/nccl/log.hpp"

namespace nvmlkit::nccl::functions {
namespace {

bool reduces(Kind kind) { return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter; }

// Documented: a communicator that is not connected yet, or that has failed, does nothing.
ncclResult_t check_communicator(const CommunicatorPtr& communicator, Kind kind) {
  if (!communicator) {
    log::warn(-1, "%s : comm argument is NULL, or no communicator", name_of(kind));
    return ncclInvalidArgument;
  }
  if (communicator->state() == ncclInProgress) {
    log::warn(communicator->device, "Attempt to use communicator before the previous operation returned ncclSuccess");
    return ncclInvalidArgument;
  }
  if (communicator->state() != ncclSuccess) return communicator->state();
  return communicator->is_usable() ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t check_operator(const Communicator& communicator, Operation& operation) {
  const auto number = static_cast<int>(operation.by.kind);
  if (number < 0) {
    log::warn(communicator.device, "%s : invalid reduction operation %d", name_of(operation.kind), number);
    return ncclInvalidArgument;
  }
  if (operation.by.kind < ncclNumOps) return ncclSuccess;
  const auto made = communicator.find_operator(number);
  if (!made) {
    log::warn(communicator.device, "%s : reduction operation %d unknown to this communicator", name_of(operation.kind),
              number);
    return ncclInvalidArgument;
  }
  operation.by = *made;
  return ncclSuccess;
}

ncclResult_t check(const CommunicatorPtr& communicator, Operation& operation) {
  if (const auto result = check_communicator(communicator, operation.kind); result != ncclSuccess) return result;
  const auto& c = *communicator;
  if (operation.type >= ncclNumTypes) {
    log::warn(c.device, "%s : invalid type %d", name_of(operation.kind), static_cast<int>(operation.type));
    return ncclInvalidArgument;
  }
  if (operation.root < 0 || operation.root >= c.ranks) {
    log::warn(c.device, "%s : invalid root %d (root should be in the 0..%d range)", name_of(operation.kind),
              operation.root, c.ranks);
    return ncclInvalidArgument;
  }
  return reduces(operation.kind) ? check_operator(c, operation) : ncclSuccess;
}

ncclResult_t issue(Operation operation, Communicator* handle, CUstream stream) {
  const auto communicator = find(handle);
  const auto result = check(communicator, operation);
  if (result != ncclSuccess) {
    if (group::is_open()) group::note(result);
    return result;
  }
  log::info(
      communicator->device,
      "%s: opCount %llx sendbuff %p recvbuff %p count %zu datatype %d op %d root %d comm %p [nranks=%d] stream %p",
      name_of(operation.kind), static_cast<unsigned long long>(communicator->operations), operation.from, operation.to,
      static_cast<std::size_t>(operation.count), static_cast<int>(operation.type), static_cast<int>(operation.by.kind),
      operation.root, static_cast<void*>(handle), communicator->ranks, static_cast<void*>(stream));
  if (operation.count == 0 && !is_between_two(operation.kind)) return ncclSuccess;
  return group::add(communicator, {operation, stream});
}

}  // namespace

ncclResult_t all_reduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t by,
                        Communicator* communicator, CUstream stream) {
  return issue({Kind::all_reduce, from, to, count, type, {by}, 0}, communicator, stream);
}

ncclResult_t broadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                       Communicator* communicator, CUstream stream) {
  return issue({Kind::broadcast, from, to, count, type, {}, root}, communicator, stream);
}

ncclResult_t broadcast_in_place(void* memory, std::size_t count, ncclDataType_t type, int root,
                                Communicator* communicator, CUstream stream) {
  return broadcast(memory, memory, count, type, root, communicator, stream);
}

ncclResult_t reduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t by, int root,
                    Communicator* communicator, CUstream stream) {
  return issue({Kind::reduce, from, to, count, type, {by}, root}, communicator, stream);
}

ncclResult_t all_gather(const void* from, void* to, std::size_t count, ncclDataType_t type, Communicator* communicator,
                        CUstream stream) {
  return issue({Kind::all_gather, from, to, count, type, {}, 0}, communicator, stream);
}

ncclResult_t reduce_scatter(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t by,
                            Communicator* communicator, CUstream stream) {
  return issue({Kind::reduce_scatter, from, to, count, type, {by}, 0}, communicator, stream);
}

ncclResult_t all_to_all(const void* from, void* to, std::size_t count, ncclDataType_t type, Communicator* communicator,
                        CUstream stream) {
  return issue({Kind::all_to_all, from, to, count, type, {}, 0}, communicator, stream);
}

ncclResult_t gather(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                    Communicator* communicator, CUstream stream) {
  return issue({Kind::gather, from, to, count, type, {}, root}, communicator, stream);
}

ncclResult_t scatter(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                     Communicator* communicator, CUstream stream) {
  return issue({Kind::scatter, from, to, count, type, {}, root}, communicator, stream);
}

ncclResult_t send(const void* from, std::size_t count, ncclDataType_t type, int peer, Communicator* communicator,
                  CUstream stream) {
  return issue({Kind::send, from, nullptr, count, type, {}, peer}, communicator, stream);
}

ncclResult_t receive(void* to, std::size_t count, ncclDataType_t type, int peer, Communicator* communicator,
                     CUstream stream) {
  return issue({Kind::receive, nullptr, to, count, type, {}, peer}, communicator, stream);
}

}  // namespace nvmlkit::nccl::functions
