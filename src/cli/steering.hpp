// The commands that move the live values of the machine that is up: load, release, time.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <utility>
#include <vector>

namespace nvmlkit::cli {

// A subcommand with what it does; the work returns the exit status.
using Command = std::pair<CLI::App*, std::function<int()>>;

std::vector<Command> add_steering_commands(CLI::App& app);

}  // namespace nvmlkit::cli
