#include "driver/cuda/graphs/graph_memory.hpp"

#include <map>
#include <mutex>

#include "base/never_destroyed.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/memory/virtual_memory.hpp"
#include "driver/cuda/process.hpp"

namespace nvmlkit::cuda {
namespace {

struct AllOfGraphs {
  std::mutex mutex;
  std::map<CUdeviceptr, std::weak_ptr<GraphPlace>> places;
  std::map<const Device*, std::unique_ptr<MemoryReserve>> reserves;
};
AllOfGraphs& all_of_graphs() {
  static NeverDestroyed<AllOfGraphs> the;
  return *the;
}

// What graphs keep stays theirs until it is trimmed.
struct GraphLease {
  std::shared_ptr<GraphPlace> place;

  ~GraphLease() { graph_memory::of(*place->device).give_back(place->size, ~std::uint64_t{0}); }
};

}  // namespace

GraphPlace::~GraphPlace() {
  if (!address) return;
  {
    const std::lock_guard lock(all_of_graphs().mutex);
    all_of_graphs().places.erase(address);
  }
  device->give_addresses_back(address, size);
}

namespace graph_memory {

CUresult reserve(Device& device, CUcontext context, std::uint64_t size, AllocWork& out) {
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  auto place = std::make_shared<GraphPlace>();
  place->device = &device;
  place->size = size;
  place->properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  place->properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device.ordinal()};
  if (size > device.total_memory() || !(place->address = device.reserve_addresses(size)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  {
    const std::lock_guard lock(all_of_graphs().mutex);
    all_of_graphs().places[place->address] = place;
  }
  out = {std::move(place), context};
  return CUDA_SUCCESS;
}

CUresult reserve(const CUDA_MEM_ALLOC_NODE_PARAMS& params, CUcontext context, AllocWork& out) {
  const auto& p = params.poolProps;
  if (p.allocType != CU_MEM_ALLOCATION_TYPE_PINNED || p.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      p.handleTypes != CU_MEM_HANDLE_TYPE_NONE || (params.accessDescCount > 0 && !params.accessDescs) ||
      params.accessDescCount > devices().size())
    return CUDA_ERROR_INVALID_VALUE;
  auto* const device = find_device(p.location.id);
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < params.accessDescCount; ++i)
    if (params.accessDescs[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !find_device(params.accessDescs[i].location.id))
      return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = reserve(*device, context, params.bytesize, out); result != CUDA_SUCCESS) return result;
  out.place->properties = p;
  if (params.accessDescCount > 0)
    out.place->access.assign(params.accessDescs, params.accessDescs + params.accessDescCount);
  return CUDA_SUCCESS;
}

CUDA_MEM_ALLOC_NODE_PARAMS params_of(const AllocWork& work) {
  const auto& place = *work.place;
  return {place.properties, place.access.empty() ? nullptr : place.access.data(), place.access.size(), place.size,
          place.address};
}

bool is_of_graph(CUdeviceptr address) {
  const std::lock_guard lock(all_of_graphs().mutex);
  return all_of_graphs().places.count(address) > 0;
}

CUresult allocate(const AllocWork& work) {
  auto& place = *work.place;
  if (memory::find(place.address)) return CUDA_ERROR_INVALID_VALUE;  // what was allocated last is not free
  if (!of(*place.device).take(place.size)) return CUDA_ERROR_OUT_OF_MEMORY;
  auto lease = std::make_shared<GraphLease>();
  lease->place = work.place;
  if (!memory::place(*place.device, work.context, place.address, place.size, std::move(lease)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  const auto made = memory::find(place.address);
  for (const auto& entry : place.access)
    if (made && entry.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
      made->access |= virtual_memory::access_bit(entry.location.id);
  return CUDA_SUCCESS;
}

CUresult release(CUdeviceptr address) {
  return memory::remove(address, MemoryKind::device, MemoryKind::device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

MemoryReserve& of(Device& device) {
  const std::lock_guard lock(all_of_graphs().mutex);
  auto& own = all_of_graphs().reserves[&device];
  if (!own) own = std::make_unique<MemoryReserve>(device, DeviceAddresses::kBlock);
  return *own;
}

}  // namespace graph_memory
}  // namespace nvmlkit::cuda
