#include "mps/wire/limits.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace nvmlkit::mps {
namespace {

constexpr std::uint64_t kMib = 1ULL << 20;

// Calls `part` for each piece between commas; false as soon as one is refused.
template <class Part>
bool each_part(std::string_view text, Part part) {
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    if (!part(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

std::optional<double> percent_of(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 100) return {};
  return value;
}

std::string percent_text(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", percent);
  return text;
}

std::optional<std::uint64_t> size_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (problem != std::errc() || number == 0) return {};
  const auto scale = unit == "G" || unit == "GB" ? kMib << 10 : unit == "M" || unit == "MB" ? kMib : 0;
  if (scale == 0 || number > UINT64_MAX / scale) return {};
  return number * scale;
}

std::string size_text(std::uint64_t bytes) {
  const auto mib = bytes / kMib;
  return mib >= 1024 ? std::to_string(mib / 1024) + "G" : std::to_string(mib) + "M";
}

std::optional<Limits> limits_of(std::string_view text) {
  Limits limits;
  const bool good = each_part(text, [&](std::string_view part) {
    const auto equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    const auto bytes = size_of(part.substr(equals + 1));
    if (bytes) set_limit(limits, part.substr(0, equals), *bytes);
    return bytes.has_value();
  });
  if (!good) return {};
  return limits;
}

std::string limits_text(const Limits& limits) {
  std::string text;
  for (const auto& [device, bytes] : limits)
    text += (text.empty() ? "" : ",") + device + "=" + std::to_string(bytes / kMib) + "M";
  return text;
}

void set_limit(Limits& limits, std::string_view device, std::uint64_t bytes) {
  const auto known = std::find_if(limits.begin(), limits.end(), [&](const auto& one) { return one.device == device; });
  if (known != limits.end())
    known->bytes = bytes;
  else
    limits.push_back({std::string(device), bytes});
}

}  // namespace nvmlkit::mps
