// Which build a library is of: what the linker wrote into it for that. It stays when the file is copied or installed.
#pragma once

#include <string>

namespace nvmlkit::code_cache {

// Bytes of the identifier; empty for a file without one.
std::string build_id_of(const char* path);

}  // namespace nvmlkit::code_cache
