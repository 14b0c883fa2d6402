// What the hand-written public headers declare: include/nvmlkit/*.hpp, read by libclang.
#pragma once

#include <filesystem>

#include "registry/public_headers.hpp"

namespace nvmlgen {

// Private parts, templates of classes and the namespace detail are passed over. Declarations keep the spelling of the
// header. Throws RegistryError where the headers do not compile.
PublicHeaders read_public_headers(const std::filesystem::path& directory);

}  // namespace nvmlgen
