// The GPUs of a machine as a plain table, read through the driver library like any client does.
#pragma once

#include <filesystem>

namespace nvmlkit::cli {

// Prints the table; returns the exit status of the command.
int list_gpus(const std::filesystem::path& driver);

}  // namespace nvmlkit::cli
