// Decompression of the entries of a fat binary, by liblz4 and libzstd.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace nvmlkit::cuda::fatbin {

// Both return text up to its first zero, and nothing when the bytes do not make exactly `size` bytes.

// One raw LZ4 block, without a frame.
std::optional<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t size);

// The first Zstandard frame. Bytes after it are ignored.
std::optional<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t size);

}  // namespace nvmlkit::cuda::fatbin
