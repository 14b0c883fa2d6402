#include "driver/cuda/fatbin/unpack.hpp"

#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <limits>
#include <memory>

namespace nvmlkit::cuda::fatbin {
namespace {

// A damaged entry may claim any size: the buffer is not cleared, so that unused pages of it cost nothing.
template <class Decompress>
std::optional<std::string> unpack(std::size_t size, const Decompress& decompress) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(size);
  if (!decompress(buffer.get())) return std::nullopt;
  return std::string(buffer.get(), strnlen(buffer.get(), size));
}

}  // namespace

std::optional<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t size) {
  constexpr auto kLargest = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (packed.size() > kLargest || size > kLargest) return std::nullopt;
  const auto packed_size = static_cast<int>(packed.size());
  const auto full_size = static_cast<int>(size);
  return unpack(size, [&](char* to) {
    return LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), to, packed_size, full_size) == full_size;
  });
}

std::optional<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t size) {
  const auto frame = ZSTD_findFrameCompressedSize(packed.data(), packed.size());
  if (ZSTD_isError(frame)) return std::nullopt;
  return unpack(size, [&](char* to) { return ZSTD_decompress(to, size, packed.data(), frame) == size; });
}

}  // namespace nvmlkit::cuda::fatbin
