#include "driver/cuda/launches/context_memory.hpp"

#include "driver/cuda/launches/conditions.hpp"
#include "driver/cuda/memory/pools.hpp"
#include "driver/cuda/memory/virtual_memory.hpp"
#include "driver/cuda/sanitize/sanitizer.hpp"
#include "driver/cuda/textures/textures.hpp"

namespace nvmlkit::cuda {

bool ContextMemory::find(std::uint64_t address, ptx::Region& region) {
  auto allocation = memory::find(address);
  if (!allocation || !may_reach(*allocation)) return false;
  // Device memory is there to the end of its granule, as on hardware.
  const auto is_device = allocation->kind == MemoryKind::device;
  const auto size = is_device && !sanitizer::is_on() ? AddressRange::rounded(allocation->size) : allocation->size;
  region = {allocation->address, size, allocation->bytes, nullptr};
  region.is_read_only =
      allocation->kind == MemoryKind::mapped && !virtual_memory::may_write(*allocation, context_.device);
  region.written = allocation->written;
  region.holder = std::move(allocation);
  return true;
}

std::uint64_t ContextMemory::allocate(std::uint64_t size) {
  const auto most = context_.with([](auto& s) {
    const auto set = s.limits.find(CU_LIMIT_MALLOC_HEAP_SIZE);
    return set == s.limits.end() ? DeviceHeap::kDefaultSize : std::uint64_t{set->second};
  });
  if (!context_.heap().take(size, most)) return 0;
  const auto made = memory::allocate(MemoryKind::device, context_.device, context_.handle(), size, DeviceHeap::kFlag);
  if (made)
    memory::watch(*made);
  else
    context_.heap().give_back(size);
  return made ? made->address : 0;
}

bool ContextMemory::release(std::uint64_t address) {
  const auto known = memory::find(address);
  if (!known || !(known->flags & DeviceHeap::kFlag)) return false;
  if (!memory::remove(address, MemoryKind::device, MemoryKind::device)) return false;
  context_.heap().give_back(known->size);
  return true;
}

void ContextMemory::set_condition(std::uint64_t handle, std::uint32_t value) {
  if (const auto condition = conditions::find(handle)) condition->value = value;
}

bool ContextMemory::sample_row(const ptx::LookupRow& row, ptx::SampledRow& out) {
  return textures::sample_row(row, out);
}

std::size_t ContextMemory::sample(std::span<const ptx::Lookup> lookups, ptx::Sampled* out) {
  return textures::sample(lookups, out);
}

bool ContextMemory::surface(std::uint64_t handle, const std::int32_t at[3], std::size_t size, bool clamps,
                            std::byte*& out) {
  return textures::surface(handle, at, size, clamps, out);
}

bool ContextMemory::may_reach(const Allocation& a) {
  if (a.kind == MemoryKind::mapped) return virtual_memory::may_use(a, context_.device);
  if (a.kind != MemoryKind::device || a.device == &context_.device) return true;
  if (virtual_memory::may_use(a, context_.device)) return true;
  if (a.pool) return pools::reaches(a.pool, context_.device);
  return context_.with([&](auto& s) { return s.peers.count(a.context) > 0; });
}

}  // namespace nvmlkit::cuda
