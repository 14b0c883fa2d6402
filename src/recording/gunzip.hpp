// Files that gzip compressed.
#pragma once

#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace nvmlkit::recording {

bool is_gzip(std::string_view bytes);

// The text of all members. A problem for broken data, and for more than `most` bytes.
Expected<std::string> gunzip(const std::string& file, std::string_view bytes, std::size_t most);

}  // namespace nvmlkit::recording
