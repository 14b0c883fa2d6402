#include "sim/traits/architecture.hpp"

#include <algorithm>

namespace nvmlkit::sim {
namespace {

bool is_one_of(const model::Gpu& gpu, std::span<const traits::Chip> chips) {
  const auto& capability = gpu.compute_capability;
  return std::any_of(chips.begin(), chips.end(), [&](const traits::Chip& chip) {
    return gpu.architecture && *gpu.architecture == chip.architecture && capability.major && capability.minor &&
           *capability.major == chip.major && *capability.minor == chip.minor;
  });
}

}  // namespace

bool is_from(const model::Gpu& gpu, std::uint32_t architecture) {
  return gpu.architecture && *gpu.architecture != model::Architecture::unknown && *gpu.architecture >= architecture;
}

bool has(const model::Gpu& gpu, Trait trait) {
  const auto& rule = traits::kRules[static_cast<std::size_t>(trait)];
  return is_from(gpu, rule.from) ? !is_one_of(gpu, rule.without) : is_one_of(gpu, rule.also);
}

}  // namespace nvmlkit::sim
