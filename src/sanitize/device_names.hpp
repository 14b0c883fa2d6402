// Names of device functions as NVIDIA's tools write them.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlkit::sanitize {

// How names of the linker are shown: with arguments, the name alone, or as they are.
enum class Demangling : std::uint8_t { full, simple, none };

// scale(float *, const int *): of a name of the linker. Functions of the compiler's namespace for a file lose it.
std::string device_name(const std::string& name, Demangling how = Demangling::full);

}  // namespace nvmlkit::sanitize
