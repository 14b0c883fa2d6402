// Fat binaries: containers of one program for several GPUs, as PTX and as code of the hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nvmlkit::cuda::fatbin {

enum class Kind : std::uint16_t { ptx = 1, elf = 2, lto_ir = 8 };
enum class Compression : std::uint8_t { none, lz4, zstd };

struct Entry {
  Kind kind{};
  unsigned capability = 0;  // 10 * major + minor
  bool exact = false;       // sm_90a: for this capability alone
  Compression compression{};
  std::span<const std::byte> stored;
  std::size_t size = 0;  // unpacked
};

// The entries of a region; nothing when it is none. Of a damaged one, those before the damage.
std::optional<std::vector<Entry>> entries(std::span<const std::byte> region);

// Whether a region has LTO-IR of `nvcc -dlto`.
bool has_lto_ir(std::span<const std::byte> region);

// Bytes of the region that a file's section begins with; 0 when it begins with none.
std::size_t region_size(std::span<const std::byte> section);

// Unpacked PTX without the zeros behind it; nothing when it is damaged.
std::optional<std::string> text_of(const Entry& entry);

inline constexpr std::uint32_t kWrapperMagic = 0x466243B1;
inline constexpr std::uint32_t kRegionMagic = 0xBA55ED50;
inline constexpr std::size_t kRegionHeader = 16;

}  // namespace nvmlkit::cuda::fatbin
