// Amounts with a unit, as people and Kubernetes write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nvmlkit::sim::text {

// A number of bytes: 4096, 512MiB, 2GiB, 512Mi, 2Gi.
std::optional<std::uint64_t> bytes_of(std::string_view text);

// A whole percentage from 0 to 100: 80%, 80.
std::optional<std::uint32_t> percent_of(std::string_view text);

}  // namespace nvmlkit::sim::text
