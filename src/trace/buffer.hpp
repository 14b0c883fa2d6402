// Bytes that grow: on the stack first, on the heap where they are many. No exception: without memory a buffer is
// spoiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

namespace nvmlkit::trace {

class Buffer {
 public:
  Buffer() noexcept {}  // NOLINT(modernize-use-equals-default): the bytes stay as they are
  ~Buffer() {
    if (data_ != inline_) std::free(data_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t size() const noexcept { return size_; }
  const unsigned char* data() const noexcept { return data_; }
  std::span<const unsigned char> bytes() const noexcept { return {data_, size_}; }
  bool spoiled() const noexcept { return spoiled_; }
  void clear() noexcept { size_ = 0; }

  // Room for more bytes, whose contents the caller writes; null where there is no memory.
  unsigned char* extend(std::size_t count) noexcept {
    if (count > capacity_ - size_ && !grow(count)) return nullptr;
    unsigned char* out = data_ + size_;
    size_ += count;
    return out;
  }

  void put(unsigned char byte) noexcept {
    if (unsigned char* out = extend(1)) *out = byte;
  }

  void put(const void* bytes, std::size_t count) noexcept {
    unsigned char* out = extend(count);
    if (out && count > 0) std::memcpy(out, bytes, count);
  }

  // A number in groups of seven bits, the lowest first.
  void number(std::uint64_t value) noexcept {
    while (value >= 0x80) {
      put(static_cast<unsigned char>(value | 0x80));
      value >>= 7;
    }
    put(static_cast<unsigned char>(value));
  }

  void shrink_by(std::size_t count) noexcept { size_ -= count; }

 private:
  static constexpr std::size_t kInline = 1536;
  static constexpr std::size_t kLimit = std::size_t{64} << 20;

  bool grow(std::size_t count) noexcept {
    std::size_t wanted = capacity_ * 2;
    while (wanted < size_ + count) wanted *= 2;
    auto* fresh = wanted > kLimit ? nullptr : static_cast<unsigned char*>(std::malloc(wanted));
    if (!fresh) {
      spoiled_ = true;
      return false;
    }
    std::memcpy(fresh, data_, size_);
    if (data_ != inline_) std::free(data_);
    data_ = fresh;
    capacity_ = wanted;
    return true;
  }

  unsigned char inline_[kInline];
  unsigned char* data_ = inline_;
  std::size_t size_ = 0, capacity_ = kInline;
  bool spoiled_ = false;
};

}  // namespace nvmlkit::trace
