// Faults of the machine that is up: made, ended, listed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// `words` as sim/steering/fault.hpp has them; --state FILE and --json may stand anywhere among them. Without words: the
// list. Each returns its exit status.
int fault(std::string state, std::vector<std::string> words, bool as_json);
int heal(std::string state, std::vector<std::string> words);

// What is broken: one line each, and the same as JSON.
std::vector<std::string> list_faults(const sim::Machine& machine);
nlohmann::ordered_json faults_as_json(const sim::Machine& machine);

}  // namespace nvmlkit::cli
