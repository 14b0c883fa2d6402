// The half of nvmlgen that reads headers and drivers: import, import-driver, check.
#pragma once

#include <CLI/CLI.hpp>

namespace nvmlgen {

/// Registers the subcommands. They print to stdout; a failure is one line on stderr and ends parsing with
/// CLI::RuntimeError(1), a wrong use with CLI's own errors, for which `cli_exit_code` gives 2.
void add_import_commands(CLI::App& app);

/// Prints what has to be printed for an error of `app.parse` and gives the exit code: 0 for help, 1 for a failure
/// that a command has reported itself, 2 for wrong use.
int cli_exit_code(const CLI::App& app, const CLI::ParseError& error);

}  // namespace nvmlgen
