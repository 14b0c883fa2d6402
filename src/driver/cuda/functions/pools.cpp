// Memory pools, and allocations in streams.
#include "driver/cuda/pools.hpp"

#include "driver/cuda/attribute_values.hpp"
#include "driver/cuda/call.hpp"
#include "driver/cuda/generated/functions.hpp"
#include "driver/cuda/graphs/capture.hpp"
#include "driver/cuda/memory.hpp"
#include "driver/cuda/schedule.hpp"

namespace nvmlkit::cuda::functions {
namespace {

std::shared_ptr<Allocation> allocate(Context& context, CUmemoryPool handle, const Pool& pool, std::size_t size) {
  if (pool.max_size && memory::used_of(handle) + size > pool.max_size) return nullptr;
  return memory::allocate(MemoryKind::device, *pool.device, context.handle(), size, 0, handle);
}

}  // namespace

// The memory is there at once. Where there is none, work that will free some is waited for.
CUresult MemAllocFromPoolAsync(Context& context, CUdeviceptr* dptr, std::size_t bytesize, CUmemoryPool pool,
                               CUstream hStream) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->is_captured) return capture::refuse(*stream);
  const auto own = pools::find(pool);
  if (!own || bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  auto made = allocate(context, pool, *own, bytesize);
  if (!made) {
    if (const auto result = schedule::wait(context, schedule::before(*stream)); result != CUDA_SUCCESS) return result;
    made = allocate(context, pool, *own, bytesize);
  }
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto used = memory::used_of(pool);
  for (auto most = own->most_used.load(); used > most && !own->most_used.compare_exchange_weak(most, used);) {
  }
  *dptr = made->address;
  return CUDA_SUCCESS;
}

CUresult MemAllocAsync(Context& context, CUdeviceptr* dptr, std::size_t bytesize, CUstream hStream) {
  return MemAllocFromPoolAsync(context, dptr, bytesize, pools::current_of(context.device), hStream);
}

CUresult MemFreeAsync(Context& context, CUdeviceptr dptr, CUstream hStream) {
  const auto stream = streams::find(hStream, context);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->is_captured) return capture::refuse(*stream);
  const auto allocation = memory::find(dptr);
  if (!allocation || allocation->address != dptr || allocation->kind != MemoryKind::device ||
      allocation->is_being_freed.exchange(true))
    return CUDA_ERROR_INVALID_VALUE;
  Task task;
  task.context = context.shared_from_this();
  task.is_short = true;
  task.work = [dptr](CUresult) { memory::remove(dptr, MemoryKind::device, MemoryKind::device); };
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
  if (!own || own->device != device) return CUDA_ERROR_INVALID_VALUE;
  pools::set_current(*device, pool);
  return CUDA_SUCCESS;
}

CUresult MemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps) {
  const auto& p = *poolProps;
  if (p.allocType != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if (p.handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
  if (p.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  auto* const device = find_device(p.location.id);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  auto made = std::make_shared<Pool>();
  made->device = device;
  made->max_size = p.maxSize;
  *pool = pools::make(std::move(made));
  return CUDA_SUCCESS;
}

CUresult MemPoolDestroy(CUmemoryPool pool) { return pools::remove(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult MemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  return pools::find(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;  // it keeps nothing
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
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (read_value<std::uint64_t>(value) != 0) return CUDA_ERROR_INVALID_VALUE;  // back to what is used now, only
      own->most_used = memory::used_of(pool);
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
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return write_value(value, memory::used_of(pool));
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return write_value(value, own->most_used.load());
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
