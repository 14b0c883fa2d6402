#include "smi_log/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>

#include "sim/text/numbers.hpp"
#include "sim/text/quoting.hpp"
#include "smi_log/log.hpp"

namespace nvmlkit::smi_log {
namespace {

using sim::model::FieldDescriptor;
using sim::model::Type;
using Value = std::optional<std::string>;

template <class T>
std::optional<T> number_at(std::string_view text, std::string_view& rest, int base = 10) {
  const auto value = sim::text::number_before<T>(text, rest, base);
  rest = trim(rest);
  return value;
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

Value read_number(std::string_view text) {
  std::string_view rest;
  const auto value = number_at<std::int64_t>(text, rest);
  if (!value || !one_of(rest, {"", "MHz", "C", "%", "x", "bank(s)", "KB/s", "us", "MiB", "seconds", "group(s)"}))
    return {};
  return std::to_string(*value);
}

Value read_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string_view rest;
  const auto value = number_at<std::uint64_t>(text, rest, 16);
  if (!value || !rest.empty()) return {};
  return sim::text::hex(*value);
}

Value read_mib(std::string_view text) {
  std::string_view rest;
  const auto value = number_at<std::uint64_t>(text, rest);
  if (!value || rest != "MiB" || *value > UINT64_MAX >> 20) return {};
  return std::to_string(*value << 20);
}

// A decimal number times 1000, exactly.
Value read_thousandths(std::string_view text, std::initializer_list<std::string_view> units) {
  std::string_view rest;
  const auto whole = number_at<std::int64_t>(text, rest);
  if (!whole || std::abs(*whole) > 1'000'000'000) return {};
  std::int64_t value = *whole * 1000;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    std::int64_t worth = *whole < 0 || text.starts_with('-') ? -100 : 100;
    for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; rest.remove_prefix(1), worth /= 10)
      value += (rest.front() - '0') * worth;
  }
  if (!one_of(trim(rest), units)) return {};
  return std::to_string(value);
}

Value read_percent(std::string_view text) {
  const auto thousandths = read_thousandths(text, {"%"});
  if (!thousandths) return {};
  return std::to_string((std::stoll(*thousandths) + 500) / 1000);
}

Value read_flag(std::string_view text) {
  if (one_of(text, {"Yes", "Active", "True", "Degraded", "Connected"})) return "true";
  if (one_of(text, {"No", "Not Active", "False", "Full", "Disconnected", "Not Connected"})) return "false";
  return {};
}

std::string letters(std::string_view text) {
  std::string out;
  for (const unsigned char c : text)
    if (std::isalnum(c) != 0) out += static_cast<char>(std::tolower(c));
  return out;
}

Value read_word(std::string_view text, const FieldDescriptor& field) {
  const std::string wanted = letters(text);
  if (field.type != Type::enumeration || wanted.empty()) return {};
  // A display that is attached, power management that is supported, and long names.
  constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
      {"yes", "enabled"},
      {"supported", "enabled"},
      {"active", "enabled"},
      {"on", "enabled"},
      {"no", "disabled"},
      {"notsupported", "disabled"},
      {"notactive", "disabled"},
      {"inactive", "disabled"},
      {"off", "disabled"},
      {"lowdoubleprecision", "low_dp"},
      {"unicastle", "unicast_logical_endpoint"},
      {"multicastle", "multicast_logical_endpoint"},
      {"nvidiavirtualapplications", "nvidia_vapps"},
      {"nvidiavirtualpc", "nvidia_vpc"},
      {"nvidiavirtualcomputeserver", "nvidia_vcs"},
      {"nvidiartxvirtualworkstation", "nvidia_vws"},
  };
  std::string_view also;
  for (const auto& [name, word] : kAliases)
    if (name == wanted) also = word;
  for (const auto& word : field.words())
    if (letters(word.word()) == wanted || word.word() == also) return std::string(word.word());
  return {};
}

Value read_time(std::string_view text) {
  std::array<std::int64_t, 7> parts{};  // year, month, day, hour, minute, second, millisecond
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, parts[i]);
    if (problem != std::errc() || parts[i] < 0 || parts[i] > 9999) return {};
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    constexpr std::array<char, 6> kSeparator = {'/', '/', ' ', ':', ':', '.'};
    if (i == kSeparator.size()) break;
    if (text.empty() || text.front() != kSeparator[i]) return {};
    text.remove_prefix(1);
  }
  if (!text.empty()) return {};
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(parts[0])),
                                         std::chrono::month(static_cast<unsigned>(parts[1])),
                                         std::chrono::day(static_cast<unsigned>(parts[2])));
  if (!date.ok() || date.year() < std::chrono::year(1970)) return {};
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5];
  return std::to_string(seconds * 1'000'000 + parts[6] * 1000);
}

Value read_atomics(std::string_view text) {
  constexpr std::array<std::string_view, 7> kOperations = {"FETCHADD_32", "FETCHADD_64", "SWAP_32", "SWAP_64",
                                                           "CAS_32",      "CAS_64",      "CAS_128"};
  unsigned bits = 0;
  while (!(text = trim(text)).empty()) {
    const auto word = text.substr(0, text.find(' '));
    const auto at = std::find(kOperations.begin(), kOperations.end(), word);
    if (at == kOperations.end()) return {};
    bits |= 1u << (at - kOperations.begin());
    text.remove_prefix(word.size());
  }
  return std::to_string(bits);
}

}  // namespace

std::optional<std::string> read_value(std::string_view text, Unit unit, const FieldDescriptor& field) {
  switch (unit) {
    case Unit::text:
      return quoted(text);
    case Unit::number:
      return read_number(text);
    case Unit::hex:
      return read_hex(text);
    case Unit::mib:
      return read_mib(text);
    case Unit::milli:
      return read_thousandths(text, {"", "W", "V"});
    case Unit::micro_volt:
      return read_thousandths(text, {"mV"});
    case Unit::percent:
      return read_percent(text);
    case Unit::flag:
      return read_flag(text);
    case Unit::redundant:
      return {};
    case Unit::word:
    case Unit::known_word:
      return read_word(text, field);
    case Unit::time:
      return read_time(text);
    case Unit::atomics:
      return read_atomics(text);
  }
  return {};
}

bool says_absent(std::string_view text) { return text == "N/A" || text == "[N/A]" || text == "[Not Supported]"; }

bool says_nothing(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  return one_of(text, {"Requested functionality has been deprecated",
                       "Insufficient Permissions",
                       "Unknown Error",
                       "Not available in WDDM driver model",
                       "Unknown",
                       "ERR!",
                       "Not Found",
                       "GPU is lost",
                       "Uninitialized",
                       "Invalid Argument",
                       "Insufficient Size",
                       "Function Not Found",
                       "Insufficient External Power",
                       "Timeout",
                       "GPU requires reset",
                       "Reset Required",
                       "No data",
                       "Not Ready",
                       "In use by another client",
                       "Argument Version Mismatch",
                       "Driver/library version mismatch"});
}

std::string quoted(std::string_view text) { return sim::text::quoted(text, sim::text::NotUtf8::latin1); }

}  // namespace nvmlkit::smi_log
