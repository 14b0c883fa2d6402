#include "smi/log/platform.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "smi/log/values.hpp"

namespace nvmlkit::smi {

using nvml::PlatformInfo;

std::string platform_number(const Gpu& gpu, PlatformNumber member) {
  constexpr unsigned char kNowhere = 0xff;
  return shown_as<&Gpu::platform>(gpu, [&](const PlatformInfo& info) {
    const auto& number = info.*member;
    return number && *number != kNowhere ? std::to_string(*number) : std::string("N/A");
  });
}

std::string platform_serial(const Gpu& gpu, PlatformSerial member) {
  return shown_as<&Gpu::platform>(gpu, [&](const PlatformInfo& info) {
    const auto& bytes = info.*member;
    return bytes ? std::string(bytes->begin(), std::find(bytes->begin(), bytes->end(), 0)) : std::string("N/A");
  });
}

std::string platform_peers(const Gpu& gpu) {
  return shown_as<&Gpu::platform, &PlatformInfo::peer_type>(
      gpu, [](unsigned char type) { return std::string(type == 0 ? "Direct Connected" : "Switch Connected"); });
}

// The low half of the 16 bytes, the least byte first.
std::string platform_guid(const Gpu& gpu) {
  return shown_as<&Gpu::platform, &PlatformInfo::ib_guid>(gpu, [&](const auto& bytes) {
    unsigned long long guid = 0;
    for (unsigned i = 0; i < 8; ++i) guid |= static_cast<unsigned long long>(bytes[i]) << (8 * i);
    return gpu.version() < Version{580, 0} ? fmt::format("{:#x}", guid) : fmt::format("{:#018x}", guid);
  });
}

}  // namespace nvmlkit::smi
