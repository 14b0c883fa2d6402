// The quantities that recordings have of a GPU, as data: the field of the model, and how a value gets there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nvmlkit::recording {

// In the order in which they are applied: what others depend on comes first.
enum class Quantity : std::uint8_t {
  power_limit,
  memory_reserved,
  memory_used,
  memory_free,
  gpu_load,
  memory_load,
  encoder_load,
  decoder_load,
  jpeg_load,
  ofa_load,
  sm_clock,
  graphics_clock,
  memory_clock,
  video_clock,
  power_draw,
  instant_power,
  average_power,
  gpu_temperature,
  memory_temperature,
  temperature_margin,
  fan_speed,
  performance_state,
  link_generation,
  pcie_sent,
  pcie_received,
  event_reasons,
  pcie_replays,
  ecc_volatile_corrected,
  ecc_volatile_uncorrected,
  ecc_aggregate_corrected,
  ecc_aggregate_uncorrected,
  rows_correctable,
  rows_uncorrectable,
  rows_pending,
  rows_failed,
  energy,
  limited_by_power,
  limited_by_heat,
  xid,
};
inline constexpr std::size_t kQuantities = static_cast<std::size_t>(Quantity::xid) + 1;

// How a recorded value becomes one of the machine.
enum class Way : std::uint8_t {
  setting,  // a field that time does not move
  load,     // a share of the workload
  live,     // a field that time moves: left to the physics, or pinned
  counter,  // a field that counts on from the recorded value
  total,    // an ECC total: the difference goes to the DRAM, too
  reasons,  // clocks event reasons as bits
  xid,      // the number of the last Xid: a change of it is a fault
};

struct QuantityRow {
  Quantity quantity;
  Way way;
  std::string_view path;  // in a machine file; empty for `reasons` and `xid`
  std::string_view unit;  // of the value at the path
};

const QuantityRow& row_of(Quantity quantity);

// What messages call it: the path, or clocks_event_reasons and xid.
std::string_view name_of(Quantity quantity);

// The event reasons that the model has, by the bit of NVML.
struct ReasonBit {
  std::uint64_t bit;
  std::string_view path;
};
std::span<const ReasonBit> reason_bits();

// A name that some tool gives to a quantity. A value of the tool times `factor` is one in the unit of the row.
struct Name {
  std::string_view name;
  Quantity quantity;
  double factor = 1;
  bool weak = false;  // counts only if the recording has no better name of the same quantity
};

// Null if no row has the name.
const Name* find_name(std::span<const Name> names, std::string_view name);

std::span<const Name> dcgm_metrics();     // without DCGM_FI_DEV_ or DCGM_FI_PROF_
std::span<const Name> dcgm_columns();     // of dcgmi dmon
std::span<const Name> smi_metrics();      // of nvidia_gpu_exporter, without nvidia_smi_
std::span<const Name> monitor_columns();  // of nvidia-smi dmon
std::span<const Name> query_fields();     // of nvidia-smi --query-gpu; values in the tool's own units

}  // namespace nvmlkit::recording
