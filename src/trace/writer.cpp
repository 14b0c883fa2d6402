#include "trace/writer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "trace/bytes.hpp"
#include "trace/shape.hpp"

namespace nvmlkit::trace {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kLeastSegment = 16 << 10, kLargestSegment = 256 << 10;
constexpr std::uint64_t kFewestSegments = 3;  // the first, and two to alternate

std::uint64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

void put_text(Buffer& out, std::string_view text) {
  put_chunk(out, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

// The names of functions and the kinds of their arguments, by number.
void put_tables(Buffer& out, const WriterOptions& options) {
  put_text(out, options.program);
  put_text(out, options.library);
  out.number(function_count());
  for (std::size_t i = 0; i < function_count(); ++i) {
    const Shape& function = shape(i);
    std::string letters;
    for (const Argument& argument : function.arguments) letters += letter_of(argument.kind);
    put_text(out, function.name);
    put_text(out, letters);
    const bool present = i >= options.present.size() || options.present[i];
    out.number((present ? 1u : 0u) | (function.returns_text ? 2u : 0u));
  }
}

// Gives a file room up to `bytes`; the reason where it cannot. Past the limit of the process the kernel would end it.
int make_room(int file, std::uint64_t bytes) noexcept {
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && bytes > most.rlim_cur) return EFBIG;
  return posix_fallocate(file, 0, static_cast<off_t>(bytes));
}

// The header may change while others read it.
template <class T>
void publish(T& place, T value) noexcept {
  __atomic_store_n(&place, value, __ATOMIC_RELEASE);
}

}  // namespace

sim::Expected<std::unique_ptr<Writer>> Writer::create(const WriterOptions& options) {
  std::unique_ptr<Writer> out(new Writer());
  if (auto opened = out->open(options); !opened) return sim::fail(std::move(opened.error()));
  return out;
}

sim::Expected<void> Writer::open(const WriterOptions& options) {
  Buffer tables;
  put_tables(tables, options);
  header_bytes_ = (sizeof(FileHeader) + tables.size() + kPage - 1) / kPage * kPage;
  segment_bytes_ = std::clamp(options.limit / 16 / kPage * kPage, kLeastSegment, kLargestSegment);
  const std::uint64_t room = options.limit > header_bytes_ ? options.limit - header_bytes_ : 0;
  most_segments_ = std::max(kFewestSegments, room / segment_bytes_);
  map_bytes_ = header_bytes_ + most_segments_ * segment_bytes_;

  file_ = ::open(options.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0) return sim::fail(sim::unusable_file(options.path, std::strerror(errno)));
  const int no_room = make_room(file_, header_bytes_ + segment_bytes_);
  void* map = no_room ? MAP_FAILED : mmap(nullptr, map_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (map == MAP_FAILED) {
    const int reason = no_room ? no_room : errno;
    unlink(options.path.c_str());
    return sim::fail(sim::unusable_file(options.path, std::strerror(reason)));
  }
  map_ = static_cast<unsigned char*>(map);
  start_ = clock_ns(CLOCK_MONOTONIC);
  if (getrandom(&salt_, sizeof salt_, GRND_NONBLOCK) != sizeof salt_)
    salt_ = mixed(start_ + static_cast<unsigned>(getpid()));
  FileHeader& out = header();
  out.format = kFormat;
  out.header_bytes = static_cast<std::uint32_t>(header_bytes_);
  out.segment_bytes = static_cast<std::uint32_t>(segment_bytes_);
  out.tables_bytes = static_cast<std::uint32_t>(tables.size());
  out.salt = salt_;
  out.start_ns = clock_ns(CLOCK_REALTIME);
  out.pid = static_cast<std::uint32_t>(getpid());
  std::memcpy(map_ + sizeof(FileHeader), tables.data(), tables.size());
  next_segment();
  // Last: a file without it is not read.
  std::memcpy(out.magic, kMagic, sizeof kMagic);
  return {};
}

// The first segment is never used again.
unsigned char* Writer::segment() const noexcept {
  const std::uint64_t last = segments_ - 1;
  const std::uint64_t place = last < most_segments_ ? last : 1 + (last - 1) % (most_segments_ - 1);
  return map_ + header_bytes_ + place * segment_bytes_;
}

bool Writer::next_segment() noexcept {
  if (segments_ > 0 && segments_ < most_segments_) {
    if (make_room(file_, header_bytes_ + (segments_ + 1) * segment_bytes_) != 0) {
      if (segments_ < kFewestSegments) return false;
      most_segments_ = segments_;
    }
  }
  ++segments_;
  auto* fresh = reinterpret_cast<SegmentHeader*>(segment());
  publish(fresh->generation, std::uint64_t{0});
  publish(fresh->first_call, calls_);
  publish(fresh->generation, segments_);
  used_ = sizeof(SegmentHeader);
  return true;
}

void Writer::append(std::span<const unsigned char> payload) noexcept {
  const std::size_t needed = kWordBytes + padded(payload.size());
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  const bool fits = needed <= segment_bytes_ - sizeof(SegmentHeader);
  if (!fits || (used_ + needed > segment_bytes_ && !next_segment()))
    return publish(header().dropped, header().dropped + 1);
  unsigned char* place = segment() + used_;
  std::memcpy(place + kWordBytes, payload.data(), payload.size());
  publish(*reinterpret_cast<std::uint64_t*>(place), word_of(salt_, segments_, used_, payload.data(), payload.size()));
  used_ += needed;
  publish(header().calls, ++calls_);
}

void Writer::drop() noexcept {
  const std::lock_guard lock(mutex_);
  if (!closed_) publish(header().dropped, header().dropped + 1);
}

void Writer::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  closed_ = true;
  publish(header().closed, std::uint32_t{1});
  if (segments_ <= most_segments_) {
    const std::size_t end = header_bytes_ + (segments_ - 1) * segment_bytes_ + used_;
    if (ftruncate(file_, static_cast<off_t>(end)) != 0) return;  // the file keeps its unused end
  }
}

void Writer::forget() noexcept {
  closed_ = true;
  if (map_) munmap(map_, map_bytes_);
  if (file_ >= 0) ::close(file_);
  map_ = nullptr;
  file_ = -1;
}

Writer::~Writer() {
  if (map_) {
    close();
    munmap(map_, map_bytes_);
  }
  if (file_ >= 0) ::close(file_);
}

}  // namespace nvmlkit::trace
