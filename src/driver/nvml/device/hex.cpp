#include "driver/nvml/device/hex.hpp"

#include <cstddef>

namespace nvmlkit::driver {
namespace {

constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool parse_uuid_bytes(std::string_view text, unsigned char (&bytes)[16]) {
  if (text.substr(0, 4) == "GPU-") text.remove_prefix(4);
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int value = hex_digit(c);
    if (value < 0 || digits >= 32) return false;
    auto& byte = bytes[digits / 2];
    byte = static_cast<unsigned char>(digits % 2 == 0 ? value << 4 : byte | value);
    ++digits;
  }
  return digits == 32;
}

}  // namespace nvmlkit::driver
