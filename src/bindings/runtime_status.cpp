#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nvmlkit/runtime_status.hpp>

namespace nvmlkit::nvml {
namespace {

constexpr std::array<const char*, 6> kNames{"active", "suspended", "suspending", "resuming", "error", "unsupported"};

// As sysfs spells it, empty for what is no address: 0000:65:00.0.
std::string sysfs_name(std::string_view text) {
  unsigned int domain = 0, bus = 0, device = 0, function = 0;
  int read = 0;
  const std::string whole(text);
  if (std::sscanf(whole.c_str(), "%8x:%2x:%2x.%1u%n", &domain, &bus, &device, &function, &read) != 4 ||
      read != static_cast<int>(whole.size()) || device > 0x1F || function > 7)
    return {};
  char out[24];
  std::snprintf(out, sizeof out, "%04x:%02x:%02x.%u", domain, bus, device, function);
  return out;
}

bool exists(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0;
}

}  // namespace

Result<RuntimeStatus> runtime_status(std::string_view pci_bus_id, const std::string& sysfs) {
  const std::string name = sysfs_name(pci_bus_id);
  if (name.empty())
    return Failure(Errc::invalid_argument, nullptr,
                   "expected a PCI address such as 0000:65:00.0, got '" + std::string(pci_bus_id) + "'");
  const std::string device = sysfs + "/bus/pci/devices/" + name;
  if (!exists(device)) return Failure(Errc::not_found, nullptr, "there is no " + device);
  std::ifstream file(device + "/power/runtime_status");
  std::string word;
  if (!(file >> word)) return Failure(Errc::not_supported, nullptr, device + " has no power/runtime_status");
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (word == kNames[i]) return static_cast<RuntimeStatus>(i);
  return Failure(Errc::not_supported, nullptr, "unknown runtime status '" + word + "' of " + device);
}

const char* to_string(RuntimeStatus status) noexcept {
  const auto index = static_cast<std::size_t>(status);
  return index < kNames.size() ? kNames[index] : "unknown";
}

}  // namespace nvmlkit::nvml
