// What is broken about a machine, listed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// What is broken: one line each, and the same as JSON.
std::vector<std::string> list_faults(const sim::Machine& machine);
nlohmann::ordered_json faults_as_json(const sim::Machine& machine);

}  // namespace nvmlkit::cli
