// A driver library as `nvmlkit root` copies it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace nvmlkit::cli {

// The bytes of the library, with the mark of a library of a root (driver/search/mark.hpp).
std::shared_ptr<const std::string> read_marked(const std::filesystem::path& library);

}  // namespace nvmlkit::cli
