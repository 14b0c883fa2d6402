#include <charconv>
#include <nvmlkit/strings.hpp>

namespace nvmlkit::nvml {

std::string enum_text(const EnumTable& table, long long number) {
  for (const auto& each : table.names)
    if (each.number == number) return each.name;
  return table.prefix + ('(' + std::to_string(number) + ')');
}

std::optional<long long> enum_number(const EnumTable& table, std::string_view text) noexcept {
  for (const auto& each : table.names)
    if (text == each.name) return each.number;
  const std::string_view prefix = table.prefix;
  if (!text.starts_with(prefix) || text.size() < prefix.size() + 3) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (text.front() != '(' || text.back() != ')') return std::nullopt;
  const char* end = text.data() + text.size() - 1;
  long long number = 0;
  const auto [stop, error] = std::from_chars(text.data() + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string flags_text(const EnumTable& table, unsigned long long bits) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : "|") + name; };
  for (const auto& each : table.names) {
    const auto bit = static_cast<unsigned long long>(each.number);
    if ((bits & bit) == 0) continue;
    add(each.name);
    bits &= ~bit;
  }
  if (bits != 0) {
    char digits[16];
    add("0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, bits, 16).ptr));
  }
  return text.empty() ? "none" : text;
}

}  // namespace nvmlkit::nvml
