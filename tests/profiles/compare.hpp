// Compares a machine file with the known facts of its GPU.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fact_tables.hpp"
#include "profiles.hpp"

namespace nvmlkit::profiles_test {

bool is_unknown(std::string_view fact);

// What is wrong with the machine's answer to one fact; nothing when it is right or nothing is known.
std::optional<std::string> complaint(const Machine& machine, const Row& row, const YAML::Node& fact);

// The paths of all scalars and lists below `node`.
void collect_paths(const YAML::Node& node, const std::string& prefix, std::vector<std::string>& paths);

bool is_within(std::string_view path, std::string_view group);

}  // namespace nvmlkit::profiles_test
