// Which of its releases a library is.
#pragma once

#include <string>

namespace nvmlkit::libraries {

// The file of the library that calls.
std::string own_path();

// Whether the library that calls was loaded under this name.
bool is_loaded_as(const char* soname);

}  // namespace nvmlkit::libraries
