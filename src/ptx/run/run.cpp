#include "ptx/run/run.hpp"

#include <utility>

namespace nvmlkit::ptx {

std::byte* Run::find(std::uint64_t address, std::uint64_t size) {
  const auto now = releases.load(std::memory_order_acquire);
  if (now != known_since_) {
    for (auto& region : recent_) region = {};
    known_since_ = now;
  }
  Region found;
  if (!grid.memory->find(address, found)) return nullptr;
  if (address - found.start >= found.size || size > found.size - (address - found.start)) return nullptr;
  auto& kept = recent_[next_++ % 4];
  kept = std::move(found);
  return kept.bytes + (address - kept.start);
}

void Run::release(std::uint64_t address) {
  grid.memory->release(address);
  releases.fetch_add(1, std::memory_order_release);
}

}  // namespace nvmlkit::ptx
