#include "libraries/common/kernel.hpp"

#include <cstddef>

namespace nvmlkit::libraries {

void* Running::reach(const void* address, std::int64_t count, std::size_t size, host_kernels::Access access) {
  static char nothing[16];
  if (count <= 0) return nothing;
  void* const found =
      face_.reach(&face_, reinterpret_cast<std::uintptr_t>(address), static_cast<std::uint64_t>(count) * size, access);
  if (!found) throw Stopped{};
  return found;
}

namespace {

bool has_links(const Driver& driver) { return driver.kernels->size >= offsetof(host_kernels::Table, enqueue_sized); }

}  // namespace

CUresult hand_over(const Driver& driver, CUstream stream, const host_kernels::Kernel& kernel) {
  const auto& table = *driver.kernels;
  const bool knows_pipes = table.size >= offsetof(host_kernels::Table, enqueue_sized) + sizeof table.enqueue_sized;
  return static_cast<CUresult>(knows_pipes ? table.enqueue_sized(stream, &kernel, sizeof kernel)
                                           : table.enqueue(stream, &kernel));
}

bool Running::count_traffic(const Driver& driver, const char* bus_id, std::uint64_t sent, std::uint64_t received) {
  return has_links(driver) && driver.kernels->count_traffic(&face_, bus_id, sent, received);
}

std::uint64_t Running::active_links(const Driver& driver) {
  return has_links(driver) ? driver.kernels->active_links(&face_) : 0;
}

}  // namespace nvmlkit::libraries
