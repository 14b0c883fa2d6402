// The place of a GPU in its rack, as text.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "smi/gpu.hpp"

namespace nvmlkit::smi {

using PlatformNumber = std::optional<unsigned char> nvml::PlatformInfo::*;
using PlatformSerial = std::optional<std::array<unsigned char, 16>> nvml::PlatformInfo::*;

// All ones stand for a number that is not there.
std::string platform_number(const Gpu& gpu, PlatformNumber member);
std::string platform_serial(const Gpu& gpu, PlatformSerial member);
std::string platform_peers(const Gpu& gpu);
std::string platform_guid(const Gpu& gpu);

}  // namespace nvmlkit::smi
