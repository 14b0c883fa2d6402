#include "sim/traits/event_types.hpp"

#include "sim/traits/architecture.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::sim {

std::uint64_t event_types(const model::Gpu& gpu, std::string_view driver_version) {
  using model::Architecture;
  using Type = model::EventType;
  const bool counts_errors = gpu.ecc.mode_current && *gpu.ecc.mode_current == model::EnableState::enabled;
  const auto branch = branch_number(driver_version);
  std::uint64_t types = Type::pstate | Type::xid_critical_error | Type::clock;
  if (counts_errors) types |= Type::single_bit_ecc_error | Type::double_bit_ecc_error;
  if (gpu.mig.mode_current) types |= Type::mig_config_change;
  // The types of the driver that came with CUDA 12.6 tell of what Ampere and later GPUs do about memory errors.
  if (branch >= 560 && is_from(gpu, Architecture::ampere) && counts_errors)
    types |= Type::single_bit_ecc_error_storm | Type::dram_retirement | Type::dram_retirement_failure;
  if (branch >= 560 && is_from(gpu, Architecture::hopper) && counts_errors)
    types |= Type::non_fatal_poison_error | Type::fatal_poison_error;
  if (branch >= 570 && is_from(gpu, Architecture::ampere))
    types |= Type::gpu_unavailable_error | Type::gpu_recovery_action;
  if (branch >= 580 && is_from(gpu, Architecture::hopper)) types |= Type::power_source_change;
  return types;
}

}  // namespace nvmlkit::sim
