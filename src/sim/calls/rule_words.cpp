#include "sim/calls/rule_words.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <vector>

#include "sim/generated/return_codes.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim::calls {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ns;
};
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

std::optional<std::uint64_t> duration(std::string_view text) {
  std::string_view word;
  const auto count = text::number_before<std::uint64_t>(text, word);
  for (const auto& unit : kUnits)
    if (count && word == unit.name && *count <= Rules::kLongestDelayNs / unit.ns) return *count * unit.ns;
  return std::nullopt;
}

Expected<std::uint32_t> parse_symbol(std::string_view word) {
  const auto found = std::find(symbol_names.begin(), symbol_names.end(), word);
  if (found == symbol_names.end() && word != "all") return fail(unknown_name("function", word, symbol_names));
  return static_cast<std::uint32_t>(found - symbol_names.begin());
}

// With or without NVML_ERROR_, in any case of letters.
Expected<std::int32_t> parse_code(const std::string& word) {
  std::string name = word;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string_view prefix : {"NVML_ERROR_", "NVML_"})
    if (name.starts_with(prefix)) {
      name.erase(0, prefix.size());
      break;
    }
  std::vector<std::string_view> names;
  for (const auto& known : return_codes) {
    if (known.name == name) return known.value;
    names.push_back(known.name);
  }
  auto problem = unknown_name("error", name, names);
  problem.what = "unknown error " + quote(word);
  return fail(std::move(problem));
}

Expected<void> parse_limits(std::span<const std::string> words, calls::Rule& rule) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    auto* limit = words[i] == "--after" ? &rule.after : words[i] == "--times" ? &rule.times : nullptr;
    if (!limit) return fail(wrong_value("--after N or --times N", quote(words[i])));
    const auto count = i + 1 < words.size() ? text::number_of<std::uint64_t>(words[i + 1]) : std::nullopt;
    if (!count) return fail({.kind = ProblemKind::missing, .what = words[i] + " needs a number of calls"});
    *limit = *count;
  }
  return {};
}

std::string text_of(std::uint64_t ns) {
  const auto* unit = &kUnits[0];
  for (const auto& larger : kUnits)
    if (ns % larger.ns == 0) unit = &larger;
  return std::to_string(ns / unit->ns) + std::string(unit->name);
}

}  // namespace

Expected<calls::Rule> parse_rule(std::span<const std::string> words) {
  const bool fails = words[0] == "fail";
  if (words.size() < 3)
    return fail(missing(fails ? "a function and an error, such as nvmlDeviceGetMemoryInfo GPU_IS_LOST"
                              : "a function and a duration, such as nvmlDeviceGetTemperature 500ms"));
  calls::Rule rule{};
  rule.result = calls::kNoResult;
  rule.times = UINT64_MAX;
  const auto symbol = parse_symbol(words[1]);
  if (!symbol) return fail(symbol.error());
  rule.symbol = *symbol;
  if (fails) {
    const auto code = parse_code(words[2]);
    if (!code) return fail(code.error());
    rule.result = *code;
  } else {
    const auto delay = duration(words[2]);
    if (!delay) return fail(wrong_value("a duration up to 3600s, such as 500ms", quote(words[2])));
    rule.delay_ns = *delay;
  }
  if (auto good = parse_limits(words.subspan(3), rule); !good) return fail(std::move(good.error()));
  return rule;
}

std::string describe(const Rule& rule) {
  const std::string symbol = rule.symbol < symbol_count ? std::string(symbol_names[rule.symbol]) : "all";
  std::string out = (rule.result == kNoResult ? "slow " : "fail ") + symbol + " ";
  if (rule.result == kNoResult) {
    out += text_of(rule.delay_ns);
  } else {
    const auto found = std::find_if(std::begin(return_codes), std::end(return_codes),
                                    [&](const ReturnCode& code) { return code.value == rule.result; });
    out += found == std::end(return_codes) ? std::to_string(rule.result) : std::string(found->name);
  }
  if (rule.after != 0) out += " --after " + std::to_string(rule.after);
  if (rule.times != UINT64_MAX) out += " --times " + std::to_string(rule.times);
  return out;
}

}  // namespace nvmlkit::sim::calls
