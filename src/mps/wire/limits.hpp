// The limits of MPS clients: a percentage of active threads, and memory for each GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::mps {

struct DeviceLimit {
  std::string device;  // an index or a UUID, as it was written
  std::uint64_t bytes = 0;

  bool operator==(const DeviceLimit&) const = default;
};
using Limits = std::vector<DeviceLimit>;

// "50", "12.5", "50%": more than 0 and at most 100.
std::optional<double> percent_of(std::string_view text);
std::string percent_text(double percent);

// "10G", "512M", and with a B behind: the units are powers of two.
std::optional<std::uint64_t> size_of(std::string_view text);
// As NVIDIA's program prints a limit: whole gigabytes from 1G on.
std::string size_text(std::uint64_t bytes);

// "0=10G,1=512M". Nothing if a part has another form.
std::optional<Limits> limits_of(std::string_view text);
std::string limits_text(const Limits& limits);

// Sets the limit of the device, or adds one.
void set_limit(Limits& limits, std::string_view device, std::uint64_t bytes);

}  // namespace nvmlkit::mps
