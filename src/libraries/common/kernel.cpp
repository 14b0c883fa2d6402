#include "libraries/common/kernel.hpp"

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

bool has_links(const Driver& driver) { return driver.kernels->size >= sizeof(host_kernels::Table); }

}  // namespace

bool Running::count_traffic(const Driver& driver, const char* bus_id, std::uint64_t sent, std::uint64_t received) {
  return has_links(driver) && driver.kernels->count_traffic(&face_, bus_id, sent, received);
}

std::uint64_t Running::active_links(const Driver& driver) {
  return has_links(driver) ? driver.kernels->active_links(&face_) : 0;
}

}  // namespace nvmlkit::libraries
