#include "top/filter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace nvmlkit::top {
namespace {

constexpr std::array<std::string_view, kMeasures> kWords = {"util", "mem", "power", "temp", "clock"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

}  // namespace

std::string_view word_of(Measure measure) { return kWords[static_cast<std::size_t>(measure)]; }

Value value_of(Measure measure, const RowValues& row) {
  switch (measure) {
    case Measure::utilization:
      return row.utilization;
    case Measure::memory:
      if (!row.memory_used || !row.memory_total || *row.memory_total <= 0) return std::nullopt;
      return 100 * *row.memory_used / *row.memory_total;
    case Measure::power:
      return row.power;
    case Measure::temperature:
      return row.temperature;
    case Measure::clock:
      return row.sm_clock;
  }
  return std::nullopt;
}

bool is_throttled(const RowValues& row) {
  using nvml::ClocksEventReason;
  constexpr auto kHarmless = ClocksEventReason::gpu_idle | ClocksEventReason::applications_clocks_setting |
                             ClocksEventReason::display_clock_setting;
  return row.reasons && !(*row.reasons - kHarmless).empty();
}

std::optional<Filter::Term> Filter::comparison_of(std::string_view word) {
  const auto sign = word.find_first_of("<>");
  if (sign == std::string_view::npos) return std::nullopt;
  const auto measure = std::find(kWords.begin(), kWords.end(), word.substr(0, sign));
  if (measure == kWords.end()) return std::nullopt;
  Term out;
  out.kind = Kind::compare;
  out.measure = static_cast<Measure>(measure - kWords.begin());
  out.less = word[sign] == '<';
  auto rest = word.substr(sign + 1);
  out.or_equal = rest.starts_with('=');
  if (out.or_equal) rest.remove_prefix(1);
  const auto limit = number_of<double>(rest);
  if (!limit) return std::nullopt;
  out.limit = *limit;
  return out;
}

std::optional<Filter::Term> Filter::indices_of(std::string_view word) {
  const auto dash = word.find('-');
  const auto first = number_of<std::size_t>(word.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_of<std::size_t>(word.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  Term out;
  out.kind = Kind::indices;
  out.first = *first;
  out.last = *last;
  return out;
}

Filter::Term Filter::term_of(std::string_view word) {
  const auto text = lower(word);
  if (auto compare = comparison_of(text)) return *compare;
  if (auto indices = indices_of(text)) return *indices;
  Term out;
  out.text = text;
  if (text == "lost") out.kind = Kind::lost;
  if (text == "busy") out.kind = Kind::busy;
  if (text == "throttled") out.kind = Kind::throttled;
  return out;
}

Filter::Filter(std::string_view text) {
  while (!text.empty()) {
    const auto begin = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(begin);
    const auto word = text.substr(0, text.find(' '));
    if (!word.empty()) terms_.push_back(term_of(word));
    text.remove_prefix(word.size());
  }
}

bool Filter::matches(const Term& term, std::size_t index, const GpuReadings& gpu) {
  switch (term.kind) {
    case Kind::indices:
      return term.first <= index && index <= term.last;
    case Kind::compare: {
      const auto value = value_of(term.measure, gpu.row);
      if (!value) return false;
      if (*value == term.limit) return term.or_equal;
      return (*value < term.limit) == term.less;
    }
    case Kind::lost:
      return gpu.lost();
    case Kind::busy:
      return gpu.row.utilization.value_or(0) > 0;
    case Kind::throttled:
      return is_throttled(gpu.row);
    case Kind::text:
      break;
  }
  if (!gpu.facts) return false;
  const auto has = [&](const std::string& text) { return lower(text).find(term.text) != std::string::npos; };
  return has(gpu.facts->name) || has(gpu.facts->bus_id) || has(gpu.facts->uuid);
}

bool Filter::matches(std::size_t index, const GpuReadings& gpu) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return matches(term, index, gpu); });
}

bool Filter::needs_values() const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [](const Term& term) { return term.kind != Kind::text && term.kind != Kind::indices; });
}

bool Filter::needs_facts() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.kind == Kind::text; });
}

}  // namespace nvmlkit::top
