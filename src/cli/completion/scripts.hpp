// The scripts that make shells complete nvmlkit's words.
#pragma once

#include <span>
#include <string_view>

namespace nvmlkit::cli {

struct ShellScript {
  std::string_view shell, text;
};

// Of bash, zsh and fish; nvmlkit.* beside this file.
std::span<const ShellScript> completion_scripts();

}  // namespace nvmlkit::cli
