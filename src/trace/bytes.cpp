#include "trace/bytes.hpp"

#include <algorithm>

namespace nvmlkit::trace {
namespace {

constexpr std::size_t kPlain = 8;  // chunks up to here are copied
constexpr std::size_t kRun = 4;    // zeros that are worth a run

// How many zeros are at the start.
std::size_t zeros_at(const unsigned char* bytes, std::size_t size) noexcept {
  std::size_t count = 0;
  for (std::uint64_t word = 0; count + sizeof word <= size; count += sizeof word) {
    std::memcpy(&word, bytes + count, sizeof word);
    if (word != 0) break;
  }
  while (count < size && bytes[count] == 0) ++count;
  return count;
}

// How many bytes come before the next run of zeros.
std::size_t literals_at(const unsigned char* bytes, std::size_t size) noexcept {
  std::size_t at = 0;
  while (at < size) {
    const auto* zero = static_cast<const unsigned char*>(std::memchr(bytes + at, 0, size - at));
    if (!zero) return size;
    const auto place = static_cast<std::size_t>(zero - bytes);
    const std::size_t run = zeros_at(zero, size - place);
    if (run >= kRun || place + run == size) return place;
    at = place + run;
  }
  return size;
}

}  // namespace

void put_chunk(Buffer& out, const unsigned char* bytes, std::size_t size) noexcept {
  out.number(size + 1);
  if (size <= kPlain) return out.put(bytes, size);
  for (std::size_t at = 0; at < size;) {
    if (const std::size_t zeros = zeros_at(bytes + at, size - at); zeros > 0) {
      out.number(zeros << 1 | 1);
      at += zeros;
      continue;
    }
    const std::size_t literals = literals_at(bytes + at, size - at);
    out.number(literals << 1);
    out.put(bytes + at, literals);
    at += literals;
  }
}

bool Cursor::fail() noexcept {
  bad_ = true;
  rest_ = {};
  return false;
}

std::uint64_t Cursor::number() noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::string_view Cursor::take(std::size_t count) noexcept {
  if (count > rest_.size()) return fail(), std::string_view();
  const auto out = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return out;
}

std::optional<std::string> Cursor::chunk() {
  const std::uint64_t stored = number();
  if (stored == 0) return std::nullopt;
  const std::uint64_t size = stored - 1;
  if (size > budget_) return fail(), std::nullopt;
  budget_ -= size;
  if (size <= kPlain) return std::string(take(size));
  std::string out;
  while (out.size() < size && !bad_) {
    const std::uint64_t token = number();
    const std::uint64_t count = token >> 1;
    if (count == 0 || count > size - out.size()) return fail(), std::nullopt;
    if (token & 1)
      out.append(count, '\0');
    else
      out += take(count);
  }
  return bad_ ? std::nullopt : std::optional(std::move(out));
}

}  // namespace nvmlkit::trace
