// The processor that this program is built for, as the folders of its libraries have it.
#pragma once

#include <string_view>

namespace nvmlkit::root {

#ifdef __aarch64__
inline constexpr std::string_view kTriple = "aarch64-linux-gnu", kLibraryFolder = "usr/lib/aarch64-linux-gnu";
#else
inline constexpr std::string_view kTriple = "x86_64-linux-gnu", kLibraryFolder = "usr/lib/x86_64-linux-gnu";
#endif

}  // namespace nvmlkit::root
