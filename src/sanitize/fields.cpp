#include "sanitize/fields.hpp"

#include <charconv>

namespace nvmlkit::sanitize {

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += '=';
  for (const char c : value) {
    if (c == '\n' || c == '\\') out += '\\';
    out += c == '\n' ? 'n' : c;
  }
  out += '\n';
}

void add_field(std::string& out, std::string_view name, std::uint64_t value) {
  add_field(out, name, std::to_string(value));
}

std::uint64_t Field::number() const {
  std::uint64_t out = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), out);
  return problem == std::errc() && end == value.data() + value.size() ? out : 0;
}

bool next_field(std::string_view& text, Field& out) {
  if (text.empty()) return false;
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  const auto equal = std::min(line.find('='), line.size());
  out.name = line.substr(0, equal);
  out.value.clear();
  for (auto at = equal + 1; at < line.size(); ++at) {
    if (line[at] == '\\' && at + 1 < line.size())
      out.value += line[++at] == 'n' ? '\n' : line[at];
    else
      out.value += line[at];
  }
  return true;
}

}  // namespace nvmlkit::sanitize
