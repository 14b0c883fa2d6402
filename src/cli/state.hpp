// State files of machines that are up, and the commands about them.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "cli/machine.hpp"

namespace nvmlkit::cli {

// The state file that NVMLKIT_STATE names.
std::optional<std::string> state_in_environment();

// The folder for state files, private to this user: made where it is missing, refused where it is somebody else's or
// open to others.
tl::expected<std::string, std::string> state_folder();

// Makes a state file of the machine that the environment asks for.
tl::expected<void, std::string> make_state(const std::string& path, const std::string& origin);

// The commands; each returns its exit status. An empty path means NVMLKIT_STATE, else the usual one.
int up(const MachineChoice& choice, const std::string& path);
int down(const std::string& path);
int status(const std::string& path, bool as_json);

// The state file that a command is about.
tl::expected<std::string, std::string> find_state(const std::string& path);

}  // namespace nvmlkit::cli
