#include "driver/cuda/fatbin/lz4.hpp"

namespace nvmlkit::cuda::fatbin {
namespace {

struct Reader {
  std::span<const std::byte> in;
  std::size_t at = 0;
  bool failed = false;

  bool is_at_end() const { return at >= in.size(); }
  std::size_t byte() {
    if (is_at_end()) failed = true;
    return failed ? 0 : std::to_integer<std::size_t>(in[at++]);
  }
  // A length of four bits goes on in bytes while they are full.
  std::size_t length(std::size_t start) {
    std::size_t out = start;
    if (start != 15) return out;
    std::size_t more = 0;
    do out += more = byte();
    while (more == 255 && !failed);
    return out;
  }
};

}  // namespace

std::optional<std::string> unpack_lz4(std::span<const std::byte> packed, std::size_t size) {
  std::string out;
  out.reserve(size);
  Reader reader{packed};
  while (!reader.is_at_end()) {
    const auto token = reader.byte();
    const auto literals = reader.length(token >> 4);
    if (reader.failed || literals > packed.size() - reader.at || literals > size - out.size()) return std::nullopt;
    out.append(reinterpret_cast<const char*>(packed.data()) + reader.at, literals);
    reader.at += literals;
    if (reader.is_at_end()) break;
    auto distance = reader.byte();
    distance |= reader.byte() << 8;
    const auto length = reader.length(token & 15) + 4;
    if (reader.failed || distance == 0 || distance > out.size() || length > size - out.size()) return std::nullopt;
    for (std::size_t k = 0; k < length; ++k) out += out[out.size() - distance];
  }
  return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace nvmlkit::cuda::fatbin
