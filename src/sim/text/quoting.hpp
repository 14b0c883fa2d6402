// Texts in the double quotes of YAML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvmlkit::sim::text {

// The meaning of bytes that are not UTF-8.
enum class NotUtf8 : std::uint8_t {
  replaced,  // each sequence becomes the replacement character U+FFFD
  latin1,    // each byte is the character of its number
};

// `text` in double quotes. Characters that YAML does not keep in quotes are escaped: control characters, line breaks of
// Unicode, byte order marks.
std::string quoted(std::string_view text, NotUtf8 others = NotUtf8::replaced);

// The text between the quotes, escapes as they are; a text without quotes unchanged.
std::string unquoted(std::string_view yaml);

}  // namespace nvmlkit::sim::text
