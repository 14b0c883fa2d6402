// Names of fields in the words of a user: power.limit_mw, or power.limit for short.
#pragma once

#include <string>
#include <string_view>

namespace nvmlkit::sim::steering {

// The field that a short name stands for; any other path as it is.
std::string full_path(std::string_view path);

}  // namespace nvmlkit::sim::steering
