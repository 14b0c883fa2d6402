// The node that a machine is, for scenarios that choose nodes.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "scenario/language.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::scenario {

// The label of the chart with the pool of a node.
inline constexpr const char* kPoolLabel = "nvmlkit.io/pool";

struct NodeIdentity {
  bool known = false;  // false: it stands for a node that every choice names
  std::string name;
  std::map<std::string, std::string> labels;
};

// Does the choice name the node? `seed` is the scenario's.
bool matches(const NodeChoice& choice, const NodeIdentity& node, std::string_view seed);

// Does the text match the pattern, in which * stands for any text and ? for any character?
bool matches_pattern(std::string_view text, std::string_view pattern);

// KEY=VALUE.
sim::Expected<void> add_label(std::string_view text, NodeIdentity& node);

// The lines KEY="VALUE" of a file of the downward API, where VALUE is quoted as in Go. `file` is what messages call it.
sim::Expected<void> add_labels_of_file(const std::string& file, std::string_view text, NodeIdentity& node);

}  // namespace nvmlkit::scenario
