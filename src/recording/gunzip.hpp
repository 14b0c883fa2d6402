// Files that gzip compressed.
#pragma once

#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace nvmlkit::recording {

bool is_gzip(std::string_view bytes);

// The text of all members. A problem for broken data, and for more than 1 GiB.
Expected<std::string> gunzip(const std::string& file, std::string_view bytes);

}  // namespace nvmlkit::recording
