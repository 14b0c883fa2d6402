#include "libraries/nccl/functions/communicators.hpp"

#include <cstdlib>
#include <vector>

#include "libraries/nccl/bootstrap.hpp"
#include "libraries/nccl/gpu.hpp"
#include "libraries/nccl/group.hpp"
#include "libraries/nccl/log.hpp"
#include "libraries/nccl/settings.hpp"
#include "libraries/nccl/split.hpp"

namespace nvmlkit::nccl::functions {
namespace {

// The GPU of the calling thread.
ncclResult_t place(Communicator& made) {
  const auto* const g = gpu();
  if (!g) return ncclUnhandledCudaError;
  auto result = libraries::ensure_context(*g->driver);
  if (result == cuda::CUDA_SUCCESS) result = g->driver->get_context(&made.context);
  cuda::CUdevice device = 0;
  if (result == cuda::CUDA_SUCCESS) result = g->driver->get_device(&device);
  char bus_id[32] = "";
  if (result == cuda::CUDA_SUCCESS) result = g->get_bus_id(bus_id, sizeof bus_id, device);
  made.device = device;
  made.bus_id = bus_id;
  return answer_of(result, "cuCtxGetDevice");
}

ncclResult_t begin(Communicator** out, int ranks, const UniqueId& id, int rank, const Config* config) {
  log::version();
  if (!out) {
    log::warn(-1, "CommInitRank : newcomm argument is NULL");
    return ncclInvalidArgument;
  }
  *out = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    log::warn(-1, "Invalid rank requested : %d/%d", rank, ranks);
    return ncclInvalidArgument;
  }
  Settings settings;
  if (const auto result = read_settings(config, settings); result != ncclSuccess) return result;
  const auto made = std::make_shared<Communicator>(rank, ranks, settings);
  if (const auto result = place(*made); result != ncclSuccess) return result;
  *out = keep(made);
  return group::connect_by(made, out, [made, id] { return connect(*made, id); });
}

// In a group the error is that of the whole group, too.
ncclResult_t noted(ncclResult_t result) {
  if (group::is_open() && result != ncclSuccess) group::note(result);
  return result;
}

template <class Ask>
ncclResult_t ask(const Communicator* handle, const void* out, Ask answer) {
  const auto communicator = find(handle);
  if (!communicator || !out) {
    log::warn(-1, "comm or out argument is NULL");
    return ncclInvalidArgument;
  }
  if (communicator->state() == ncclInProgress) return ncclInProgress;
  answer(*communicator);
  return ncclSuccess;
}

ncclResult_t begin_split(Communicator* handle, Part part, Communicator** out, const Config* config) {
  const auto parent = find(handle);
  if (!parent || !out) {
    log::warn(-1, "CommSplit : comm or newcomm argument is NULL");
    return ncclInvalidArgument;
  }
  *out = nullptr;
  if (!parent->is_usable()) return parent->state() == ncclInProgress ? ncclInvalidArgument : ncclInvalidUsage;
  auto settings = parent->settings;
  if (const auto result = config ? read_settings(config, settings) : ncclSuccess; result != ncclSuccess) return result;
  const auto made = std::make_shared<Communicator>(0, 1, settings);
  made->context = parent->context;
  made->device = parent->device;
  made->bus_id = parent->bus_id;
  if (part.color != kNoColor) *out = keep(made);
  const auto ticket = parent->turn.draw();
  return group::connect_by(
      made, part.color == kNoColor ? nullptr : out,
      [parent, made, part = std::move(part), ticket] { return connect_part(*parent, ticket, part, *made); });
}

}  // namespace

ncclResult_t init_rank(Communicator** out, int ranks, UniqueId id, int rank) {
  return noted(begin(out, ranks, id, rank, nullptr));
}

ncclResult_t init_rank_with(Communicator** out, int ranks, UniqueId id, int rank, Config* config) {
  return noted(begin(out, ranks, id, rank, config));
}

// All meet at the first id.
ncclResult_t init_rank_scalable(Communicator** out, int ranks, int rank, int count, UniqueId* ids, Config* config) {
  if (count < 1 || count > ranks || !ids) return noted(ncclInvalidArgument);
  return noted(begin(out, ranks, ids[0], rank, config));
}

ncclResult_t init_all(Communicator** out, int count, const int* devices) {
  log::version();
  const auto* const g = gpu();
  if (!g) return ncclUnhandledCudaError;
  int known = 0;
  if (const auto result = g->driver->init(0); result != cuda::CUDA_SUCCESS) return answer_of(result, "cuInit");
  g->count_devices(&known);
  if (!out || count < 1) {
    log::warn(-1, "Invalid device count requested : %d", count);
    return ncclInvalidArgument;
  }
  std::vector<int> places;
  for (int i = 0; i < count; ++i) {
    places.push_back(devices ? devices[i] : i);
    for (int j = 0; j < i; ++j)
      if (places[static_cast<std::size_t>(j)] == places.back()) return ncclInvalidUsage;
    if (places.back() < 0 || places.back() >= known) return ncclInvalidArgument;
  }
  UniqueId id;
  if (const auto result = make_unique_id(id); result != ncclSuccess) return result;
  group::start();
  for (int i = 0; i < count; ++i) {
    cuda::CUcontext context = nullptr;
    cuda::CUdevice device = 0;
    g->get_device(&device, places[static_cast<std::size_t>(i)]);
    if (const auto result = g->driver->retain_primary(&context, device); result != cuda::CUDA_SUCCESS) {
      noted(answer_of(result, "cuDevicePrimaryCtxRetain"));
      break;
    }
    const libraries::InContext in_context(*g->driver, context);
    noted(begin(out + i, count, id, i, nullptr));
  }
  return group::end();
}

ncclResult_t split(Communicator* parent, int color, int key, Communicator** out, Config* config) {
  if (color < kNoColor) {
    log::warn(-1, "CommSplit : color must be greater or equal to NCCL_SPLIT_NOCOLOR");
    return noted(ncclInvalidArgument);
  }
  return noted(begin_split(parent, {color, key, {}}, out, config));
}

ncclResult_t shrink(Communicator* handle, int* excluded, int count, Communicator** out, Config* config, int flags) {
  const auto parent = find(handle);
  if (!parent || (count > 0 && !excluded) || count < 0) return noted(ncclInvalidArgument);
  if ((flags & kShrinkAbort) != 0) {
    libraries::note_unsupported("ncclCommShrink", "with NCCL_SHRINK_ABORT");
    return noted(ncclInvalidUsage);
  }
  Part part{0, parent->rank, {}};
  for (int i = 0; i < count; ++i) {
    if (excluded[i] < 0 || excluded[i] >= parent->ranks || excluded[i] == parent->rank)
      return noted(ncclInvalidArgument);
    part.excluded.insert(excluded[i]);
  }
  return noted(begin_split(handle, std::move(part), out, config));
}

ncclResult_t finalize(Communicator* handle) {
  const auto communicator = find(handle);
  if (!communicator) return ncclInvalidArgument;
  if (communicator->is_finalized.exchange(true)) return ncclInvalidUsage;
  communicator->settle();
  return communicator->state();
}

ncclResult_t destroy(Communicator* handle) {
  if (!handle) return ncclSuccess;
  const auto communicator = forget(handle);
  if (!communicator) {
    log::warn(-1, "CommDestroy : no communicator");
    return ncclInvalidArgument;
  }
  communicator->settle();
  if (communicator->state() != ncclSuccess) communicator->abort();
  if (!communicator->is_aborted()) communicator->peers.stand(Standing::left);
  log::info(communicator->device, "comm %p rank %d nranks %d cudaDev %d busId %s - Destroy COMPLETE",
            static_cast<void*>(handle), communicator->rank, communicator->ranks, communicator->device,
            communicator->bus_id.c_str());
  return ncclSuccess;
}

ncclResult_t abort(Communicator* handle) {
  if (!handle) return ncclSuccess;
  const auto communicator = forget(handle);
  if (!communicator) return ncclInvalidArgument;
  communicator->abort();
  communicator->join();
  log::info(communicator->device, "comm %p rank %d nranks %d cudaDev %d busId %s - Abort COMPLETE",
            static_cast<void*>(handle), communicator->rank, communicator->ranks, communicator->device,
            communicator->bus_id.c_str());
  return ncclSuccess;
}

ncclResult_t revoke(Communicator* handle, int flags) {
  const auto communicator = find(handle);
  if (!communicator || flags != 0) return ncclInvalidArgument;
  communicator->abort();
  return ncclSuccess;
}

ncclResult_t async_error(Communicator* handle, ncclResult_t* out) {
  const auto communicator = find(handle);
  if (!communicator || !out) return ncclInvalidArgument;
  *out = communicator->state();
  return ncclSuccess;
}

ncclResult_t count(const Communicator* handle, int* out) {
  return ask(handle, out, [&](const auto& communicator) { *out = communicator.ranks; });
}

ncclResult_t device(const Communicator* handle, int* out) {
  return ask(handle, out, [&](const auto& communicator) { *out = communicator.device; });
}

ncclResult_t user_rank(const Communicator* handle, int* out) {
  return ask(handle, out, [&](const auto& communicator) { *out = communicator.rank; });
}

}  // namespace nvmlkit::nccl::functions
