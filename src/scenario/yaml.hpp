// Values of a scenario file, read from nodes of YAML. Each problem has the place of its node.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/keys.hpp"
#include "sim/config/document.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::scenario {

using YamlNode = sim::config::Node;

inline detail::unexpected<sim::Problem> fail_at(const YamlNode& node, sim::Problem problem) {
  return sim::fail(std::move(problem).at(node.place()));
}

// Puts a value that was read into its place.
template <class T, class U>
sim::Expected<void> put(T& target, sim::Expected<U>&& value) {
  if (!value) return sim::fail(std::move(value.error()));
  target = std::move(*value);
  return {};
}

// A scalar, not empty.
sim::Expected<std::string> read_text(const YamlNode& node);
// One scalar or a list of scalars, not empty.
sim::Expected<std::vector<YamlNode>> read_items(const YamlNode& node);
sim::Expected<std::vector<std::string>> read_texts(const YamlNode& node);
sim::Expected<bool> read_flag(const YamlNode& node);
sim::Expected<std::uint32_t> read_whole(const YamlNode& node);
// In seconds.
sim::Expected<double> read_duration(const YamlNode& node);
struct Moment {
  double earliest_s, latest_s;
};
sim::Expected<Moment> read_moment(const YamlNode& node);
// From 0 to 1.
sim::Expected<double> read_chance(const YamlNode& node);

// Calls `visit(key, value)` for each entry of a mapping whose keys are those of `keys`, each once at most. `what` names
// the mapping in messages: "step".
using Visit = std::function<sim::Expected<void>(std::string_view key, const YamlNode& value)>;
sim::Expected<void> read_mapping(const YamlNode& node, std::string_view what, std::span<const Key> keys,
                                 const Visit& visit);
// The same with any keys.
sim::Expected<void> read_named(const YamlNode& node, std::string_view what, const Visit& visit);

}  // namespace nvmlkit::scenario
