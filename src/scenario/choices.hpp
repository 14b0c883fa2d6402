// Choices of GPUs and of nodes, read from YAML.
#pragma once

#include "scenario/language.hpp"
#include "scenario/yaml.hpp"

namespace nvmlkit::scenario {

// `key` is what draws follow from, beside the seed and the node. The name of a group is left for resolve_group().
sim::Expected<GpuChoice> read_gpus(const YamlNode& node, std::string key);
sim::Expected<NodeChoice> read_nodes(const YamlNode& node);
sim::Expected<std::map<std::string, GpuChoice>> read_groups(const YamlNode& node);

// Makes a choice that is a single name the choice of this group; a problem where it is none and no index, UUID or bus
// id.
sim::Expected<void> resolve_group(GpuChoice& choice, const std::map<std::string, GpuChoice>& groups);

}  // namespace nvmlkit::scenario
