#include "driver/cuda/memory/freed_bytes.hpp"

#include <sys/mman.h>

#include <deque>
#include <iterator>
#include <mutex>

#include "base/never_destroyed.hpp"

namespace nvmlkit::cuda::freed_bytes {
namespace {

// Of each, and of all.
constexpr std::uint64_t kLargest = std::uint64_t{4} << 20, kMost = std::uint64_t{32} << 20;

struct Freed {
  std::byte* bytes;
  std::uint64_t size;
};

struct List {
  std::mutex mutex;
  std::deque<Freed> all;  // the oldest first
  std::uint64_t size = 0;
};

List& list() {
  static NeverDestroyed<List> the;
  return *the;
}

}  // namespace

std::byte* take(std::uint64_t size) {
  auto& l = list();
  const std::lock_guard lock(l.mutex);
  for (auto one = l.all.rbegin(); one != l.all.rend(); ++one) {
    if (one->size != size) continue;
    auto* const out = one->bytes;
    l.size -= size;
    l.all.erase(std::next(one).base());
    return out;
  }
  return nullptr;
}

bool keep(std::byte* bytes, std::uint64_t size) {
  if (size > kLargest) return false;
  auto& l = list();
  const std::lock_guard lock(l.mutex);
  for (l.size += size; l.size > kMost; l.all.pop_front()) {
    l.size -= l.all.front().size;
    munmap(l.all.front().bytes, l.all.front().size);
  }
  l.all.push_back({bytes, size});
  return true;
}

}  // namespace nvmlkit::cuda::freed_bytes
