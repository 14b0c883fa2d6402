// One raw LZ4 block, as fat binaries hold it: no frame around it, its length outside known.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace nvmlkit::cuda::fatbin {

// Nothing when the bytes do not make exactly `size` bytes.
std::optional<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t size);

}  // namespace nvmlkit::cuda::fatbin
