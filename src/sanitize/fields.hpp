// Lines of `name=value`. A line break in a value is written as \n, a backslash as \\.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvmlkit::sanitize {

void add_field(std::string& out, std::string_view name, std::string_view value);
void add_field(std::string& out, std::string_view name, std::uint64_t value);

// The next line of a text, which is taken off. False: there is none.
struct Field {
  std::string_view name;
  std::string value;
  std::uint64_t number() const;  // 0 for what is none
};
bool next_field(std::string_view& text, Field& out);

}  // namespace nvmlkit::sanitize
