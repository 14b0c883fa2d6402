// Faults of NVSwitches: nvswitch=0 sxid 20034 28
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::steering {

inline constexpr std::string_view kSwitchSelector = "nvswitch=";

// Puts an SXid into the kernel log. The words: nvswitch=INDEX, sxid, its number, a link of the switch or none for 0.
Expected<void> inject_into_switch(const Machine& machine, std::span<const std::string> words);

}  // namespace nvmlkit::sim::steering
