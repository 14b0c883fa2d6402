// A driver library as `nvmlkit root` copies it.
#pragma once

#include <filesystem>

#include "root/tree.hpp"

namespace nvmlkit::cli {

// A copy with the mark of a library of a root (driver/search/mark.hpp). Throws CommandError for another library.
root::Copy marked_copy(const std::filesystem::path& library);

}  // namespace nvmlkit::cli
