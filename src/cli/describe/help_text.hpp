// What --help prints.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace nvmlkit::cli {

std::string help_text(const CommandNode& node);

}  // namespace nvmlkit::cli
