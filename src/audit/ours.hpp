// Which of our libraries stands for one that a program asks for.
#pragma once

#include <climits>

namespace nvmlkit::audit {

using Path = char[PATH_MAX];

// The folder of our libraries, with a slash at its end. Empty where it cannot be found.
const char* own_folder();

// Writes the path of our library of the same file name to `path`. False where we have none, or where the driver's own
// search decides: libcuda, libnvidia-*, and what only we have.
bool find_ours(const char* wanted, Path& path);

}  // namespace nvmlkit::audit
