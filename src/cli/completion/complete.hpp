// What may stand at the end of a command line.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace nvmlkit::cli {

// A word, or a request to the shell: ":files", ":folders" or ":programs". A word that ends with '=' or '.' goes on
// without a space.
struct Candidate {
  std::string value, meaning;
};

// `words` stand behind the program's name; the last is what was typed of the word so far, which may be nothing.
// Throws nothing: where a machine cannot be looked at there are fewer candidates.
std::vector<Candidate> complete(const CommandNode& root, std::vector<std::string> words);

}  // namespace nvmlkit::cli
