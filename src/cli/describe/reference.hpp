// docs/reference/command.md.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace nvmlkit::cli {

std::string reference_page(const CommandNode& root);

}  // namespace nvmlkit::cli
