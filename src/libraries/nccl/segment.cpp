#include "libraries/nccl/segment.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace nvmlkit::nccl {
namespace {

std::size_t size_of(int ranks) { return sizeof(Doorbell) + static_cast<std::size_t>(ranks) * sizeof(Ring); }

void* map(int fd, std::size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

Segment::~Segment() {
  close_file();
  if (memory_) munmap(memory_, size_);
}

Segment::Segment(Segment&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

std::optional<Segment> Segment::make(int ranks, std::uint64_t token) {
  Segment out;
  out.size_ = size_of(ranks);
  out.fd_ = memfd_create("nccl", MFD_CLOEXEC);
  if (out.fd_ < 0 || ftruncate(out.fd_, static_cast<off_t>(out.size_)) != 0) return {};
  out.memory_ = map(out.fd_, out.size_);
  if (!out.memory_) return {};
  out.bell().token = token;
  return out;
}

std::optional<Segment> Segment::open(std::uint32_t pid, int fd, int ranks, std::uint64_t token) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/fd/%d", pid, fd);
  const int opened = ::open(path, O_RDWR | O_CLOEXEC);
  if (opened < 0) return {};
  Segment out;
  out.size_ = size_of(ranks);
  struct stat about {};
  if (fstat(opened, &about) == 0 && static_cast<std::size_t>(about.st_size) == out.size_)
    out.memory_ = map(opened, out.size_);
  ::close(opened);
  if (!out.memory_ || out.bell().token != token) return {};
  return out;
}

void Segment::close_file() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Ring& Segment::ring_from(int rank) const {
  auto* const first = static_cast<std::byte*>(memory_) + sizeof(Doorbell);
  return *reinterpret_cast<Ring*>(first + static_cast<std::size_t>(rank) * sizeof(Ring));
}

void Segment::ring() const {
  auto& b = bell();
  b.rings.fetch_add(1);
  if (b.waiting.load() > 0) syscall(SYS_futex, &b.rings, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Segment::wait(std::uint32_t seen, std::chrono::microseconds most) const {
  auto& b = bell();
  b.waiting.store(1);
  const timespec time{most.count() / 1'000'000, most.count() % 1'000'000 * 1000};
  syscall(SYS_futex, &b.rings, FUTEX_WAIT, seen, &time, nullptr, 0);
  b.waiting.store(0);
}

}  // namespace nvmlkit::nccl
