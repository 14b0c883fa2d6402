// The library that records calls or answers them from a recording, and what it stands in front of.
#pragma once

#include <filesystem>
#include <string>

namespace nvmlkit::cli {

// The folder with that library; refuses where there is none.
std::filesystem::path trace_directory();

// The file of the NVML library that a program of this environment gets; refuses where there is none.
std::string found_library();

}  // namespace nvmlkit::cli
