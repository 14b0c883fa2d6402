// NVIDIA's own library of a name that one of ours has, behind ours.
#pragma once

#include <string>
#include <vector>

namespace nvmlkit::libraries {

struct NvidiasLibrary {
  std::vector<std::string> names;  // of all releases; ours, which a program was linked with, is looked for first
  const char* wheel;               // its folder among wheels of PyPI before CUDA 13: nvidia/WHEEL/lib
};

// Every file that may be it, the best first: in LD_LIBRARY_PATH, beside the libraries of the process (wheels of PyPI),
// in the system's folders. None of ours.
std::vector<std::string> places_of(const NvidiasLibrary& library);

// Null where it cannot be loaded. Its calls of its own functions do not come back to ours.
void* open_nvidias(const std::string& path);

}  // namespace nvmlkit::libraries
