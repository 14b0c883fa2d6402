// Zstandard frames (RFC 8878) without dictionary, as fat binaries hold them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace nvmlkit::cuda::fatbin {

// Nothing when the bytes are no such frame, or do not make exactly `size` bytes. What follows the frame does not count.
std::optional<std::string> unpack_zstd(std::span<const std::byte> packed, std::size_t size);

}  // namespace nvmlkit::cuda::fatbin
