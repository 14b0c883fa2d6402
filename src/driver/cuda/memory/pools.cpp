#include "driver/cuda/memory/pools.hpp"

#include "base/never_destroyed.hpp"
#include "driver/cuda/handles.hpp"
#include "driver/cuda/memory/memory.hpp"

namespace nvmlkit::cuda::pools {
namespace {

auto& all_pools() {
  static NeverDestroyed<Handles<CUmemoryPool, Pool, HandleKind::pool>> the;
  return *the;
}

struct OfDevices {
  std::mutex mutex;
  std::map<const Device*, CUmemoryPool> defaults, current;
};
OfDevices& of_devices() {
  static NeverDestroyed<OfDevices> the;
  return *the;
}

// What an allocation has of its pool, which stays until the last of them has ended.
struct PoolLease {
  std::shared_ptr<Pool> pool;
  CUdeviceptr address = 0;
  std::uint64_t size = 0;

  ~PoolLease() {
    if (address) pool->device->give_addresses_back(address, size);
    pool->reserve.give_back(size, pool->release_threshold);
  }
};

constinit std::atomic<std::uint64_t> last_number{0};

}  // namespace

CUmemoryPool make(std::shared_ptr<Pool> pool) {
  if (pool->foreign_process == 0) pool->number = ++last_number;
  return all_pools().add(std::move(pool));
}
std::shared_ptr<Pool> find(CUmemoryPool pool) { return all_pools().find(pool); }

bool remove(CUmemoryPool handle) {
  const auto pool = find(handle);
  if (!pool || pool->is_default || !all_pools().remove(handle)) return false;
  auto& of = of_devices();
  const std::lock_guard lock(of.mutex);
  std::erase_if(of.current, [&](const auto& entry) { return entry.second == handle; });
  return true;
}

CUmemoryPool default_of(Device& device) {
  auto& of = of_devices();
  const std::lock_guard lock(of.mutex);
  auto& own = of.defaults[&device];
  if (!own) {
    auto pool = std::make_shared<Pool>(device);
    pool->is_default = true;
    own = make(std::move(pool));
  }
  return own;
}

CUmemoryPool current_of(Device& device) {
  {
    auto& of = of_devices();
    const std::lock_guard lock(of.mutex);
    if (const auto at = of.current.find(&device); at != of.current.end()) return at->second;
  }
  return default_of(device);
}

void set_current(Device& device, CUmemoryPool pool) {
  auto& of = of_devices();
  const std::lock_guard lock(of.mutex);
  of.current[&device] = pool;
}

CUresult allocate(CUmemoryPool handle, CUcontext context, std::uint64_t size, CUdeviceptr& out) {
  const auto pool = find(handle);
  if (!pool || pool->foreign_process != 0 || size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!pool->reserve.take(size, pool->max_size)) return CUDA_ERROR_OUT_OF_MEMORY;
  auto lease = std::make_shared<PoolLease>();
  lease->pool = pool;
  lease->size = size;
  const auto address = lease->address = pool->device->reserve_addresses(size);
  if (!address || !memory::place(*pool->device, context, address, size, std::move(lease), handle))
    return CUDA_ERROR_OUT_OF_MEMORY;
  out = address;
  return CUDA_SUCCESS;
}

bool reaches(CUmemoryPool handle, const Device& device) {
  const auto pool = find(handle);
  if (!pool || pool->device == &device) return true;
  const std::lock_guard lock(pool->mutex);
  const auto at = pool->access.find(device.ordinal());
  return at != pool->access.end() && at->second != CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

}  // namespace nvmlkit::cuda::pools
