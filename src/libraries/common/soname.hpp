// Which of its releases a library is.
#pragma once

namespace nvmlkit::libraries {

// Whether the library that calls was loaded under this name.
bool is_loaded_as(const char* soname);

}  // namespace nvmlkit::libraries
