// Faults of network adapters: nic=mlx5_0 down
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem/problem.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::sim::steering {

inline constexpr std::string_view kNicSelector = "nic=";

// The words: nic=NAME or nic=all, then those of faults/nic.hpp. All adapters that are named, or none.
Expected<void> inject_into_nics(const Machine& machine, std::span<const std::string> words);

// nic=NAME or nic=all, and a kind, or none for all kinds.
Expected<void> heal_nics(const Machine& machine, std::span<const std::string> words);

struct NicFaults {
  std::string name;
  std::vector<std::string> faults;
};

// The adapters that have faults.
std::vector<NicFaults> broken_nics(const Machine& machine);

}  // namespace nvmlkit::sim::steering
