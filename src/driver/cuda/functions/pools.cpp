// Memory pools, and allocations in streams.
#include "driver/cuda/memory/pools.hpp"

#include "driver/cuda/attribute_values.hpp"
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/graphs/graph_memory.hpp"
#include "driver/cuda/memory/memory.hpp"
#include "driver/cuda/streams/schedule.hpp"
#include "driver/cuda/work/plan.hpp"

namespace nvmlkit::cuda::functions {

// The memory is there at once. Where there is none, work that will free some is waited for: also work that has ended by
// now, because it may have freed the memory after the first attempt.
CUresult MemAllocFromPoolAsync(Context& context, CUdeviceptr* dptr, std::size_t bytesize, CUmemoryPool pool,
                               CUstream hStream) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (bytesize == 0 && pools::find(pool)) {  // nothing, which may be freed
    *dptr = 0;
    return CUDA_SUCCESS;
  }
  if (!stream->capture) {
    const auto result = pools::allocate(pool, context.handle(), bytesize, *dptr);
    if (result != CUDA_ERROR_OUT_OF_MEMORY) return result;
    const auto waited = schedule::wait(context, schedule::before(*stream));
    return waited == CUDA_SUCCESS ? pools::allocate(pool, context.handle(), bytesize, *dptr) : waited;
  }
  const auto own = pools::find(pool);
  AllocWork work;
  if (!own) return CUDA_ERROR_INVALID_VALUE;
  if (const auto result = graph_memory::reserve(*own->device, context.handle(), bytesize, work); result != CUDA_SUCCESS)
    return result;
  const auto address = work.place->address;
  const auto result = capture::add(*stream, std::move(work));
  if (result == CUDA_SUCCESS) *dptr = address;
  return result;
}

CUresult MemAllocAsync(Context& context, CUdeviceptr* dptr, std::size_t bytesize, CUstream hStream) {
  return MemAllocFromPoolAsync(context, dptr, bytesize, pools::current_of(context.device), hStream);
}

CUresult MemFreeAsync(Context& context, CUdeviceptr dptr, CUstream hStream) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (dptr == 0) return CUDA_SUCCESS;
  if (stream->capture) {
    if (!graph_memory::is_of_graph(dptr)) return CUDA_ERROR_INVALID_VALUE;
    return capture::add(*stream, FreeWork{dptr});
  }
  const auto allocation = memory::find(dptr);
  if (!allocation || allocation->address != dptr) return CUDA_ERROR_INVALID_VALUE;
  const auto kind = allocation->kind;
  const bool is_imported = kind == MemoryKind::foreign && allocation->pool;
  if ((kind != MemoryKind::device && !is_imported) || allocation->is_being_freed.exchange(true))
    return CUDA_ERROR_INVALID_VALUE;
  auto task = task_of(context);
  task.is_short = true;
  task.work = [dptr, kind](CUresult) { memory::remove(dptr, kind, kind); };
  std::vector<Task> tasks;
  tasks.push_back(std::move(task));
  return schedule::hand_over(*stream, std::move(tasks));
}

CUresult DeviceGetDefaultMemPool(CUmemoryPool* pool_out, CUdevice dev) {
  auto* const device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *pool_out = pools::default_of(*device);
  return CUDA_SUCCESS;
}

CUresult DeviceGetMemPool(CUmemoryPool* pool, CUdevice dev) {
  auto* const device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *pool = pools::current_of(*device);
  return CUDA_SUCCESS;
}

CUresult DeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  auto* const device = find_device(dev);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto own = pools::find(pool);
  if (!own || own->device != device || own->foreign_process != 0) return CUDA_ERROR_INVALID_VALUE;
  pools::set_current(*device, pool);
  return CUDA_SUCCESS;
}

CUresult MemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  const auto& p = *poolProps;
  if (p.allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (p.handleTypes != CU_MEM_HANDLE_TYPE_NONE && p.handleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (p.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  auto* const device = find_device(p.location.id);
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_shared<Pool>(*device);
  made->max_size = p.maxSize;
  made->handle_types = p.handleTypes;
  *pool = pools::make(std::move(made));
  return CUDA_SUCCESS;
}

CUresult MemPoolDestroy(CUmemoryPool pool) { return pools::remove(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult MemPoolTrimTo(CUmemoryPool pool, std::size_t minBytesToKeep) {
  const auto own = pools::find(pool);
  if (!own) return CUDA_ERROR_INVALID_VALUE;
  own->reserve.trim(minBytesToKeep);
  return CUDA_SUCCESS;
}

CUresult MemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  const auto own = pools::find(pool);
  if (!own) return CUDA_ERROR_INVALID_VALUE;
  switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      own->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = read_value<int>(value);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      own->release_threshold = read_value<std::uint64_t>(value);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      if (read_value<std::uint64_t>(value) != 0) return CUDA_ERROR_INVALID_VALUE;  // back to what is now, only
      own->reserve.forget_reserved_high();
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (read_value<std::uint64_t>(value) != 0) return CUDA_ERROR_INVALID_VALUE;
      own->reserve.forget_used_high();
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult MemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value) {
  const auto own = pools::find(pool);
  if (!own) return CUDA_ERROR_INVALID_VALUE;
  switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return write_value(value, own->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES].load());
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return write_value(value, own->release_threshold.load());
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return write_value(value, own->reserve.usage().reserved);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return write_value(value, own->reserve.usage().reserved_high);
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return write_value(value, own->reserve.usage().used);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return write_value(value, own->reserve.usage().used_high);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult MemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, std::size_t count) {
  const auto own = pools::find(pool);
  if (!own || (count > 0 && !map) || count > devices().size()) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(own->mutex);
  for (std::size_t i = 0; i < count; ++i) {
    if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    const auto* const device = find_device(map[i].location.id);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (device != own->device) own->access[device->ordinal()] = map[i].flags;
  }
  return CUDA_SUCCESS;
}

CUresult MemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool, CUmemLocation* location) {
  const auto own = pools::find(memPool);
  if (!own || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  const auto* const device = find_device(location->id);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(own->mutex);
  const auto at = own->access.find(device->ordinal());
  *flags = device == own->device     ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
           : at == own->access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE
                                     : at->second;
  return CUDA_SUCCESS;
}

}  // namespace nvmlkit::cuda::functions
