// Values of parameters that a shell completes.
#pragma once

#include <string>
#include <vector>

#include "cli/completion/complete.hpp"

namespace nvmlkit::cli {

// What is known of a command line.
struct CommandLine {
  const CommandNode* command;
  std::vector<std::string> arguments;  // those before the word that is typed
  std::string name, state;             // of --name and --state
};

// The values of this kind that begin with `typed`.
std::vector<Candidate> complete_value(const Parameter& parameter, const CommandLine& line, const std::string& typed);

}  // namespace nvmlkit::cli
