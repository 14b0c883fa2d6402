#include "sim/text/quoting.hpp"

#include <array>
#include <cstdio>

namespace nvmlkit::sim::text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The character at the beginning of a text, or the bytes there that are none.
struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;  // in bytes
  bool valid = false;
};

// What may follow the first byte of a character: how many bytes, and which second byte. The second byte excludes
// spellings that are too long, surrogates, and numbers above the last character.
struct Spelling {
  std::size_t size;
  unsigned char lowest, highest;
};

Spelling spelling_of(unsigned char first) {
  if (first < 0xC2 || first > 0xF4) return {1, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first < 0xF0)
    return {3, static_cast<unsigned char>(first == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(first == 0xED ? 0x9F : 0xBF)};
  return {4, static_cast<unsigned char>(first == 0xF0 ? 0x90 : 0x80),
          static_cast<unsigned char>(first == 0xF4 ? 0x8F : 0xBF)};
}

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  auto [size, lowest, highest] = spelling_of(byte(0));
  std::uint32_t code = byte(0) & (0xFFU >> (size + 1));
  std::size_t taken = 1;
  for (; taken < size && taken < text.size() && byte(taken) >= lowest && byte(taken) <= highest; ++taken) {
    code = code << 6 | (byte(taken) & 0x3F);
    lowest = 0x80, highest = 0xBF;
  }
  return {code, taken, size > 1 && taken == size};
}

// Whether YAML keeps a character in double quotes as it is.
bool kept(std::uint32_t c) {
  return (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c < 0xD800 && c != 0x2028 && c != 0x2029) ||
         (c >= 0xE000 && c <= 0xFFFD && c != 0xFEFF) || (c >= 0x10000 && c <= 0x10FFFF);
}

void add_escape(std::string& out, const char* format, std::uint32_t number) {
  std::array<char, 12> escape;
  out.append(escape.data(), static_cast<std::size_t>(std::snprintf(escape.data(), escape.size(), format, number)));
}

}  // namespace

std::string quoted(std::string_view text, NotUtf8 others) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto [code, size, valid] = first_of(text);
    const auto bytes = text.substr(0, size);
    text.remove_prefix(size);
    if (valid && kept(code)) {
      if (code == '"' || code == '\\') out += '\\';
      out += bytes;
    } else if (valid) {
      add_escape(out, code <= 0xFF ? "\\x%02X" : "\\U%08X", code);
    } else if (others == NotUtf8::replaced) {
      out += kReplacement;
    } else {
      for (const char byte : bytes) add_escape(out, "\\x%02X", static_cast<unsigned char>(byte));
    }
  }
  return out + "\"";
}

std::string unquoted(std::string_view yaml) {
  if (yaml.size() >= 2 && yaml.front() == '"') yaml = yaml.substr(1, yaml.size() - 2);
  return std::string(yaml);
}

}  // namespace nvmlkit::sim::text
