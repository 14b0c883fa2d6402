// One step of a scenario file.
#pragma once

#include "scenario/language.hpp"
#include "scenario/yaml.hpp"

namespace nvmlkit::scenario {

// `index` counts from 0; draws of the step follow from it.
sim::Expected<Step> read_step(const YamlNode& node, std::size_t index, const std::map<std::string, GpuChoice>& groups);

}  // namespace nvmlkit::scenario
