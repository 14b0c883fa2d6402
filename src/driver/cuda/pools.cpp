#include "driver/cuda/pools.hpp"

#include "driver/cuda/handles.hpp"

namespace nvmlkit::cuda::pools {
namespace {

// Never destroyed, see process.cpp.
auto& all() {
  static auto* const the = new Handles<CUmemoryPool, Pool, HandleKind::pool>;
  return *the;
}

struct OfDevices {
  std::mutex mutex;
  std::map<const Device*, CUmemoryPool> defaults, current;
};
OfDevices& of_devices() {
  static auto* const the = new OfDevices;
  return *the;
}

}  // namespace

CUmemoryPool make(std::shared_ptr<Pool> pool) { return all().add(std::move(pool)); }
std::shared_ptr<Pool> find(CUmemoryPool pool) { return all().find(pool); }

bool remove(CUmemoryPool handle) {
  const auto pool = find(handle);
  if (!pool || pool->is_default || !all().remove(handle)) return false;
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
    auto pool = std::make_shared<Pool>();
    pool->device = &device;
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

bool reaches(CUmemoryPool handle, const Device& device) {
  const auto pool = find(handle);
  if (!pool || pool->device == &device) return true;
  const std::lock_guard lock(pool->mutex);
  const auto at = pool->access.find(device.ordinal());
  return at != pool->access.end() && at->second != CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

}  // namespace nvmlkit::cuda::pools
