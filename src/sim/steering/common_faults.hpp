// Faults to choose from, where people choose with a key or a click.
#pragma once

#include <span>
#include <string_view>

namespace nvmlkit::sim::steering {

// Words that inject() takes behind gpu=INDEX.
std::span<const std::string_view> common_faults();

}  // namespace nvmlkit::sim::steering
