// Detects NVIDIA's own runtime library, which works only with NVIDIA's driver.
#pragma once

#include <string>

namespace nvmlkit::cuda {

// Path of a libcudart.so that this process loaded and that is none of ours; empty without one: then the program carries
// the static one.
std::string foreign_runtime();

// Path of the shared library that calls the driver; empty where the program itself does.
std::string calling_library();

}  // namespace nvmlkit::cuda
