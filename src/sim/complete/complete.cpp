#include "sim/complete/complete.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "sim/complete/gpu_identity.hpp"
#include "sim/links/layout.hpp"
#include "sim/mig/instances.hpp"
#include "sim/text/numbers.hpp"
#include "sim/traits/architecture.hpp"
#include "sim/traits/driver_branch.hpp"
#include "sim/vgpu/instances.hpp"

namespace nvmlkit::sim {
namespace {

using model::EnableState;
using model::Gpu;
template <class T>
using Maybe = std::optional<T>;

Maybe<std::uint64_t> rest(const model::Field<std::uint64_t>& whole, std::uint64_t taken) {
  if (!whole) return {};
  return *whole > taken ? *whole - taken : 0;
}

void complete_ecc_locations(model::EccLocations& at, bool has_sram) {
  bool any = false;
  std::uint64_t sram = 0;
  for (const auto* part :
       {&at.l1_cache, &at.l2_cache, &at.register_file, &at.texture_memory, &at.texture_shm, &at.cbu}) {
    any |= part->present;
    sram += part->value_or(0);
  }
  if (has_sram && any) at.sram.derive_from(Maybe<std::uint64_t>(sram));
  if (any || at.device_memory)
    at.total.derive_from(Maybe<std::uint64_t>(at.device_memory.value_or(0) + std::max(sram, at.sram.value_or(0))));
}

void complete_errors(Gpu& gpu) {
  const bool has_sram = has(gpu, Trait::sram_ecc);
  auto& errors = gpu.ecc.errors;
  for (auto* at : {&errors.volatile_.single_bit, &errors.volatile_.double_bit, &errors.aggregate.single_bit,
                   &errors.aggregate.double_bit})
    complete_ecc_locations(*at, has_sram);
  gpu.ecc.mode_pending.derive_from(gpu.ecc.mode_current);
  if (gpu.ecc.mode_current) {
    const bool geforce = gpu.brand && *gpu.brand == model::Brand::geforce;
    gpu.ecc.default_mode.derive_from(Maybe<std::uint32_t>(geforce ? EnableState::disabled : EnableState::enabled));
  }
  if (gpu.architecture) gpu.retired_pages.supported.derive_from(Maybe<bool>(!has(gpu, Trait::row_remapping)));
}

void complete_repair(Gpu& gpu) {
  if (has(gpu, Trait::repair_status)) {
    gpu.repair.channel_pending.derive_from(Maybe<bool>(false));
    gpu.repair.tpc_pending.derive_from(Maybe<bool>(false));
  }
  if (has(gpu, Trait::bank_remapping)) gpu.bank_remapper.active.derive_from(Maybe<std::uint32_t>(0));
  if (has(gpu, Trait::unrepairable_memory)) gpu.repair.unrepairable_memory.derive_from(Maybe<bool>(false));
  gpu.dram_encryption.pending.derive_from(gpu.dram_encryption.current);
}

// Count and averages of sessions that are listed.
template <class Stats, class Sessions>
void complete_sessions(Stats& stats, const Sessions& sessions) {
  std::uint32_t count = 0, fps = 0, latency = 0;
  for (const auto& session : sessions) {
    ++count;
    fps += session.average_fps.value_or(0);
    latency += session.average_latency_us.value_or(0);
  }
  const auto divisor = std::max(count, 1U);
  stats.session_count.derive_from(Maybe<std::uint32_t>(count));
  stats.average_fps.derive_from(Maybe<std::uint32_t>(fps / divisor));
  stats.average_latency_us.derive_from(Maybe<std::uint32_t>(latency / divisor));
}

void complete_memory(Gpu& gpu) {
  auto& memory = gpu.memory;
  memory.free_bytes.derive_from(
      rest(memory.total_bytes, memory.reserved_bytes.value_or(0) + memory.used_bytes.value_or(0)));
  gpu.bar1_memory.free_bytes.derive_from(rest(gpu.bar1_memory.total_bytes, gpu.bar1_memory.used_bytes.value_or(0)));
}

void complete_power_and_clocks(Gpu& gpu) {
  auto& power = gpu.power;
  power.limit_mw.derive_from(power.default_limit_mw);
  if (power.enforced_limit_mw && power.limit_mw && *power.enforced_limit_mw < *power.limit_mw)
    power.other_limit_mw.derive_from(power.enforced_limit_mw);
  power.enforced_limit_mw.derive_from(power.limit_mw);
  if (has(gpu, Trait::adaptive_tgp))
    gpu.adaptive_tgp.requested.derive_from(Maybe<std::uint32_t>(EnableState::disabled));
  gpu.adaptive_tgp.adjusted_limit_mw.derive_from(gpu.adaptive_tgp.requested ? power.limit_mw
                                                                            : gpu.adaptive_tgp.adjusted_limit_mw);
  power.instant_draw_mw.derive_from(power.current_draw_mw);
  power.power_state.derive_from(gpu.performance_state);
  gpu.base_power.limit_mw.derive_from(gpu.base_power.default_limit_mw);
  gpu.base_power.requested_limit_mw.derive_from(gpu.base_power.limit_mw);
  gpu.module_power.requested_limit_mw.derive_from(gpu.module_power.limit_mw);
  gpu.fan.target_speed_percent.derive_from(gpu.fan.speed_percent);
  gpu.clocks.sm_current.derive_from(gpu.clocks.graphics_current);
  gpu.clocks.sm_max.derive_from(gpu.clocks.graphics_max);
  gpu.pcie.device_max_link_gen.derive_from(gpu.pcie.max_link_gen);
}

void complete_modes(Gpu& gpu, const model::System& system) {
  gpu.mig.mode_pending.derive_from(gpu.mig.mode_current);
  if (gpu.mig.mode_current) {
    gpu.mig.resetless.derive_from(Maybe<bool>(has(gpu, Trait::resetless_mig)));
    gpu.mig.query_without_mode.derive_from(Maybe<bool>(true));
  }
  gpu.gpu_operation_mode.pending.derive_from(gpu.gpu_operation_mode.current);
  gpu.gsp_firmware.default_mode.derive_from(gpu.gsp_firmware.mode);
  if (gpu.gsp_firmware.mode && *gpu.gsp_firmware.mode == EnableState::enabled && system.driver_version)
    gpu.gsp_firmware.version.derive_from(Maybe<std::string_view>(system.driver_version->view()));
  if (has(gpu, Trait::hostname)) gpu.hostname.derive_from(Maybe<std::string_view>(""));
  if (gpu.architecture) gpu.gpm.supported.derive_from(Maybe<bool>(has(gpu, Trait::gpm)));
}

// Units without a description exist too.
void complete_units(Machine& machine) {
  auto& units = machine.host().units;
  auto& count = machine.system().unit_count;
  count.derive_from(Maybe<std::uint32_t>(static_cast<std::uint32_t>(units.size())));
  while (units.size() < *count && units.push_back({})) {
  }
}

// The file states whether C2C exists; without details, it is the chip's.
void complete_c2c(Gpu& gpu, const model::NvLink& nvlink) {
  const auto& said = nvlink.c2c_enabled ? nvlink.c2c_enabled : gpu.features.nvlink_c2c;
  if (said) gpu.c2c.mode.derive_from(Maybe<std::uint32_t>(*said ? EnableState::enabled : EnableState::disabled));
  if (gpu.c2c.links) gpu.c2c.bandwidth_per_link_mbps.derive_from(Maybe<std::uint32_t>(44712));
}

// GPUs whose links can be encrypted have an address in their fabric.
void complete_addresses(Machine& machine) {
  std::uint32_t index = 0;
  for (auto& gpu : machine.gpus()) {
    ++index;
    if (gpu.links.count > 0 && gpu.links.version >= 5)
      gpu.nvlink_encryption.alid.derive_from(Maybe<std::uint32_t>(index));
  }
}

// MAJOR.MINOR, as the file states it.
Maybe<CudaVersion> parse_cuda_version(std::string_view text) {
  std::string_view rest;
  const auto version = text::version_before(text, rest);
  if (!version || !rest.empty()) return {};
  return CudaVersion{version->major, version->minor};
}

void complete_system(model::System& system) {
  auto cuda = newest_cuda_of(system.driver_version ? system.driver_version->view() : std::string_view());
  if (system.cuda_version)
    if (const auto stated = parse_cuda_version(system.cuda_version->view())) cuda = *stated;
  system.cuda_version_major.derive_from(Maybe<std::uint32_t>(cuda.major));
  system.cuda_version_minor.derive_from(Maybe<std::uint32_t>(cuda.minor));
  if (!system.cuda_version_major || !system.cuda_version_minor) return;
  const std::string major = std::to_string(*system.cuda_version_major);
  const std::string version = major + "." + std::to_string(*system.cuda_version_minor);
  system.cuda_version.derive_from(Maybe<std::string_view>(version));
  if (!system.driver_version) return;
  const std::string nvml = major + "." + std::string(system.driver_version->view());
  system.nvml_version.derive_from(Maybe<std::string_view>(nvml));
}

}  // namespace

void complete(Machine& machine, std::string_view seed) {
  complete_system(machine.system());
  complete_identity(machine, seed);
  complete_units(machine);
  for (auto& gpu : machine.gpus()) {
    complete_memory(gpu);
    complete_power_and_clocks(gpu);
    complete_errors(gpu);
    complete_repair(gpu);
    complete_sessions(gpu.encoder_stats, gpu.encoder_sessions);
    complete_sessions(gpu.fbc_stats, gpu.fbc_sessions);
    complete_modes(gpu, machine.system());
    complete_c2c(gpu, machine.host().nvlink);
    gpu.nvlink_low_power.supported.derive_from(
        Maybe<bool>(machine.host().nvlink.links_per_gpu.value_or(0) > 0 && has(gpu, Trait::nvlink_low_power)));
    static_cast<void>(mig::settle(gpu));  // its problems are those of the machine file: config/check.cpp
  }
  links::lay_out(machine);
  complete_addresses(machine);
  vgpu::settle(machine);  // as with MIG
}

}  // namespace nvmlkit::sim
