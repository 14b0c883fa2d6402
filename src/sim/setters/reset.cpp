#include "sim/setters/reset.hpp"

#include <algorithm>
#include <initializer_list>

#include "sim/faults/inject.hpp"
#include "sim/mig/instances.hpp"

namespace nvmlkit::sim::setters {
namespace {

// What a GPU does not count stays absent.
void clear(std::initializer_list<model::Field<std::uint64_t>*> counters) {
  for (auto* counter : counters)
    if (*counter) *counter = 0U;
}

void clear(model::EccLocations& at) {
  clear({&at.device_memory, &at.l1_cache, &at.l2_cache, &at.register_file, &at.texture_memory, &at.texture_shm, &at.cbu,
         &at.sram, &at.total});
}

}  // namespace

void clear_ecc_counts(model::EccErrors& errors, model::EccSramCounts& sram) {
  clear(errors.single_bit);
  clear(errors.double_bit);
  clear({&sram.correctable, &sram.uncorrectable_parity, &sram.uncorrectable_secded});
}

void reset_gpu(model::Gpu& gpu) {
  faults::forget_at_reset(gpu);
  if (gpu.ecc.mode_pending) gpu.ecc.mode_current = *gpu.ecc.mode_pending;
  if (gpu.mig.mode_pending) gpu.mig.mode_current = *gpu.mig.mode_pending;
  mig::destroy_all(gpu);
  if (gpu.gpu_operation_mode.pending) gpu.gpu_operation_mode.current = *gpu.gpu_operation_mode.pending;
  clear_ecc_counts(gpu.ecc.errors.volatile_, gpu.ecc.sram.volatile_);
  if (gpu.retired_pages.pending_retirement) gpu.retired_pages.pending_retirement = false;
  if (gpu.remapped_rows.pending) gpu.remapped_rows.pending = false;
  faults::settle_banks(gpu);
  if (gpu.repair.channel_pending) gpu.repair.channel_pending = false;
  if (gpu.repair.tpc_pending) gpu.repair.tpc_pending = false;

  auto& clocks = gpu.clocks;
  for (auto* limit :
       {&clocks.graphics_locked_min, &clocks.graphics_locked_max, &clocks.memory_locked_min, &clocks.memory_locked_max})
    limit->reset();
  if (clocks.graphics_app && clocks.graphics_app_default) clocks.graphics_app = *clocks.graphics_app_default;
  if (clocks.memory_app && clocks.memory_app_default) clocks.memory_app = *clocks.memory_app_default;
  if (clocks.graphics_offset) clocks.graphics_offset = 0;
  if (clocks.memory_offset) clocks.memory_offset = 0;
  if (auto& power = gpu.power; power.limit_mw && power.default_limit_mw) {
    power.limit_mw = *power.default_limit_mw;
    power.enforced_limit_mw = std::min(*power.limit_mw, power.other_limit_mw.value_or(*power.limit_mw));
  }
  if (gpu.fan.policy) gpu.fan.policy = 0U;
  if (gpu.hostname) gpu.hostname = std::string_view();
  gpu.workload_power_profiles.requested.clear();
  if (auto& low = gpu.nvlink_low_power; low.threshold && low.default_threshold) low.threshold = *low.default_threshold;
  gpu.fan.manual_percent.reset();
  auto& encryption = gpu.nvlink_encryption;
  if (encryption.table_locked) encryption.table_locked = false;
  if (encryption.ready) encryption.ready = false;
  encryption.key_peers.clear();
  gpu.links.begin_anew = 1;
  gpu.motion.initialize_anew = 1;
}

}  // namespace nvmlkit::sim::setters
