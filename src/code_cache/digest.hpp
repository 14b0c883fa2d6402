// SHA-256 of our own: a library that loads into foreign programs needs the C library alone.
#pragma once

#include <string>
#include <string_view>

namespace nvmlkit::code_cache {

// In 64 hexadecimal digits.
std::string digest_of(std::string_view bytes);

}  // namespace nvmlkit::code_cache
