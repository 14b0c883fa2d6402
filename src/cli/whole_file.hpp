// Files that other programs read while they are replaced.
#pragma once

#include <filesystem>
#include <string>

namespace nvmlkit::cli {

// Makes or replaces the file by one rename, with mode 0644. Throws std::filesystem::filesystem_error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace nvmlkit::cli
