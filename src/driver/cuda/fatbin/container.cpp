#include "driver/cuda/fatbin/container.hpp"

#include <algorithm>
#include <cstring>

#include "driver/cuda/fatbin/unpack.hpp"

namespace nvmlkit::cuda::fatbin {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30;
constexpr std::uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000, kFlagExact = 0x100000;

template <class T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T out{};
  if (offset + sizeof out <= bytes.size()) std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

}  // namespace

std::optional<std::vector<Entry>> entries(std::span<const std::byte> region) {
  if (region.size() < kRegionHeader || at<std::uint32_t>(region, 0) != kRegionMagic) return std::nullopt;
  const std::size_t header = at<std::uint16_t>(region, 6);
  if (header < kRegionHeader || header > region.size()) return std::nullopt;
  auto rest = region.subspan(header);
  rest = rest.first(std::min<std::size_t>(rest.size(), at<std::uint64_t>(region, 8)));
  std::vector<Entry> out;
  while (rest.size() >= 64) {
    const std::size_t own = at<std::uint32_t>(rest, 4);
    const auto stored = at<std::uint64_t>(rest, 8);
    if (own < 64 || own > rest.size() || stored > rest.size() - own) break;
    const auto flags = at<std::uint64_t>(rest, 40);
    const std::size_t packed = at<std::uint32_t>(rest, 16);
    Entry e;
    e.kind = static_cast<Kind>(at<std::uint16_t>(rest, 0));
    e.capability = at<std::uint32_t>(rest, 28);
    e.exact = flags & kFlagExact;
    e.stored = rest.subspan(own, stored);
    e.size = stored;
    if (packed != 0 && packed <= stored) {
      e.stored = e.stored.first(packed);
      e.size = at<std::uint64_t>(rest, 56);
      e.compression = flags & kFlagZstd ? Compression::zstd : flags & kFlagLz4 ? Compression::lz4 : Compression::none;
    }
    if (e.size <= kLargest) out.push_back(e);
    rest = rest.subspan(own + stored);
  }
  return out;
}

bool has_lto_ir(std::span<const std::byte> region) {
  const auto all = entries(region);
  return all && std::any_of(all->begin(), all->end(), [](const Entry& e) { return e.kind == Kind::lto_ir; });
}

std::size_t region_size(std::span<const std::byte> section) {
  if (section.size() < kRegionHeader || at<std::uint32_t>(section, 0) != kRegionMagic) return 0;
  const auto rest = section.size() - kRegionHeader;
  return kRegionHeader + std::min<std::size_t>(rest, at<std::uint64_t>(section, 8));
}

std::optional<std::string> text_of(const Entry& e) {
  switch (e.compression) {
    case Compression::none:
      break;
    case Compression::lz4:
      return unpack_lz4(e.stored, e.size);
    case Compression::zstd:
      return unpack_zstd(e.stored, e.size);
  }
  const auto* const text = reinterpret_cast<const char*>(e.stored.data());
  return std::string(text, strnlen(text, e.stored.size()));
}

}  // namespace nvmlkit::cuda::fatbin
