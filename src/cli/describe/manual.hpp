// Man pages: nvmlkit(1), and one for each command.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace nvmlkit::cli {

// "nvmlkit-vgpu-create"
std::string manual_name(const CommandNode& node);

// The page in the language of man(7).
std::string manual_page(const CommandNode& node);

}  // namespace nvmlkit::cli
