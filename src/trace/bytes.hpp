// Chunks of bytes in a record: short ones as they are, longer ones with their runs of zeros counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/buffer.hpp"

namespace nvmlkit::trace {

inline void put_absent(Buffer& out) noexcept { out.number(0); }
void put_chunk(Buffer& out, const unsigned char* bytes, std::size_t size) noexcept;

// Reads what a Buffer was written with. What does not fit makes it bad for good, and every further answer empty.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes, std::size_t budget = std::size_t{64} << 20) : rest_(bytes), budget_(budget) {}

  bool bad() const noexcept { return bad_; }
  bool at_end() const noexcept { return rest_.empty(); }
  std::size_t left() const noexcept { return rest_.size(); }
  std::uint64_t number() noexcept;
  std::string_view take(std::size_t count) noexcept;
  std::optional<std::string> chunk();

 private:
  bool fail() noexcept;

  std::string_view rest_;
  std::size_t budget_;  // bytes that chunks may still have
  bool bad_ = false;
};

// Signed numbers as unsigned ones, small where they are close to 0.
inline std::uint64_t folded(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unfolded(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace nvmlkit::trace
