#include "storage/block.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

#include "storage/mutex.hpp"

namespace nvmlkit::storage {

bool make_header(Header& header, const Format& format, const Shape& shape) {
  std::memcpy(header.magic, format.magic, sizeof header.magic);
  std::memcpy(header.version, format.version, sizeof header.version);
  header.layout = format.layout;
  header.size = shape.size;
  header.record_count = static_cast<std::uint32_t>(shape.record_count);
  header.creator = static_cast<std::uint32_t>(getpid());
  header.created = std::time(nullptr);
  return make_mutex(header.lock);
}

Block::Block(void* mapping, const Shape& shape, Access access)
    : bytes_(static_cast<std::byte*>(mapping)), shape_(shape), access_(access), process_(getpid()) {}

Block::~Block() { munmap(bytes_, shape_.size); }

bool Block::entered_by_child() const {
  const int here = getpid();
  return process_.exchange(here, std::memory_order_relaxed) != here;
}

void* map_private(const Format& format, const Shape& shape) {
  void* mapping = mmap(nullptr, shape.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  if (make_header(*static_cast<Header*>(mapping), format, shape)) return mapping;
  munmap(mapping, shape.size);
  return nullptr;
}

}  // namespace nvmlkit::storage
