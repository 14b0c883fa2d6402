// Names of device functions as NVIDIA's tools write them.
#pragma once

#include <string>

namespace nvmlkit::sanitize {

// scale(float *, const int *): of a name of the linker. Functions of the compiler's namespace for a file lose it.
std::string device_name(const std::string& name);

}  // namespace nvmlkit::sanitize
