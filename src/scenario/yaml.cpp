#include "scenario/yaml.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/problem/names.hpp"
#include "sim/steering/time_words.hpp"
#include "sim/text/numbers.hpp"
#include "sim/text/scalar.hpp"

namespace nvmlkit::scenario {

using namespace sim;
using config::Kind;

namespace {

std::string name_of(const YamlNode& node) {
  if (!node) return "nothing";
  if (node.kind() == Kind::sequence) return "a list";
  if (node.kind() == Kind::mapping) return "a mapping";
  return node.absent() ? "nothing" : quote(node.text());
}

template <class T>
Expected<T> at_node(const YamlNode& node, Expected<T>&& value) {
  if (!value && value.error().place.file.empty()) return fail_at(node, std::move(value.error()));
  return std::move(value);
}

}  // namespace

Expected<std::string> read_text(const YamlNode& node) {
  if (node.kind() != Kind::scalar || node.text().empty()) return fail_at(node, wrong_value("a text", name_of(node)));
  return std::string(node.text());
}

Expected<std::vector<YamlNode>> read_items(const YamlNode& node) {
  std::vector<YamlNode> out;
  if (node.kind() != Kind::sequence) {
    if (auto good = read_text(node); !good) return fail(std::move(good.error()));
    out.push_back(node);
    return out;
  }
  auto read = node.items([&](const YamlNode& item) -> Expected<void> {
    if (auto good = read_text(item); !good) return fail(std::move(good.error()));
    out.push_back(item);
    return {};
  });
  if (!read) return fail(std::move(read.error()));
  if (out.empty()) return fail_at(node, wrong_value("at least one text", "an empty list"));
  return out;
}

Expected<std::vector<std::string>> read_texts(const YamlNode& node) {
  const auto items = read_items(node);
  if (!items) return fail(items.error());
  std::vector<std::string> out;
  for (const auto& item : *items) out.emplace_back(item.text());
  return out;
}

Expected<bool> read_flag(const YamlNode& node) {
  const auto value = node.kind() == Kind::scalar ? text::parse_bool(node.text()) : std::nullopt;
  if (!value) return fail_at(node, wrong_value("true or false", name_of(node)));
  return *value;
}

Expected<std::uint32_t> read_whole(const YamlNode& node) {
  const auto value = node.kind() == Kind::scalar ? text::number_of<std::uint32_t>(node.text()) : std::nullopt;
  if (!value || *value == 0) return fail_at(node, wrong_value("a whole number from 1 on", name_of(node)));
  return *value;
}

Expected<double> read_duration(const YamlNode& node) {
  if (node.kind() != Kind::scalar) return fail_at(node, wrong_value("a time such as 10s", name_of(node)));
  return at_node(node, steering::read_seconds(node.text()));
}

Expected<Moment> read_moment(const YamlNode& node) {
  if (node.kind() != Kind::scalar) return fail_at(node, wrong_value("a time such as 10s", name_of(node)));
  constexpr std::string_view kTo = " to ";
  const auto text = node.text();
  const auto to = text.find(kTo);
  const auto first = at_node(node, steering::read_seconds_or_zero(text.substr(0, to)));
  if (!first) return fail(first.error());
  if (to == std::string_view::npos) return Moment{*first, *first};
  const auto last = at_node(node, steering::read_seconds(text.substr(to + kTo.size())));
  if (!last) return fail(last.error());
  if (*last < *first) return fail_at(node, wrong_value("the earlier time first", quote(text)));
  return Moment{*first, *last};
}

Expected<double> read_chance(const YamlNode& node) {
  std::string_view unit;
  const auto value =
      node.kind() == Kind::scalar ? text::number_before<double>(node.text(), unit) : std::optional<double>();
  if (!value || unit != "%" || !(*value >= 0) || *value > 100)
    return fail_at(node, wrong_value("a percentage from 0% to 100%", name_of(node)));
  return *value / 100;
}

Expected<void> read_named(const YamlNode& node, std::string_view what, const Visit& visit) {
  if (!node || node.kind() != Kind::mapping)
    return fail_at(node, wrong_value("a mapping for " + std::string(what), name_of(node)));
  std::map<std::string_view, std::uint32_t> seen;
  return node.entries([&](const YamlNode& key, const YamlNode& value) -> Expected<void> {
    if (key.kind() != Kind::scalar) return fail_at(key, wrong_value("a key", name_of(key)));
    if (const auto [first, is_new] = seen.emplace(key.text(), key.line()); !is_new)
      return fail_at(key, {.kind = ProblemKind::duplicate,
                           .what = "duplicate key " + quote(key.text()),
                           .hint = "the first is at line " + std::to_string(first->second)});
    return at_node(key, visit(key.text(), value));
  });
}

Expected<void> read_mapping(const YamlNode& node, std::string_view what, std::span<const Key> keys,
                            const Visit& visit) {
  return read_named(node, what, [&](std::string_view key, const YamlNode& value) -> Expected<void> {
    std::vector<std::string_view> names;
    for (const auto& known : keys) names.push_back(known.name);
    if (std::find(names.begin(), names.end(), key) == names.end())
      return fail(unknown_name("key of a " + std::string(what), key, names));
    return visit(key, value);
  });
}

}  // namespace nvmlkit::scenario
