#include "driver/nvml/call/failing_gpu.hpp"

#include <algorithm>
#include <iterator>

#include "driver/nvml/call/access.hpp"
#include "sim/events/raise.hpp"
#include "sim/faults/inject.hpp"

namespace nvmlkit::driver {
namespace {

using namespace abi;
using sim::Symbol;
using sim::faults::Availability;
using sim::model::Gpu;

template <std::size_t N>
bool is_one_of(Symbol symbol, const Symbol (&symbols)[N]) {
  return std::find(std::begin(symbols), std::end(symbols), symbol) != std::end(symbols);
}

constexpr Symbol kOfInforom[] = {Symbol::DeviceGetInforomVersion, Symbol::DeviceGetInforomImageVersion,
                                 Symbol::DeviceGetInforomConfigurationChecksum, Symbol::DeviceValidateInforom};

// The calls that count for `failure` in machine files, as the Go mock counts them.
constexpr Symbol kCounted[] = {
    Symbol::DeviceGetTemperature,        Symbol::DeviceGetTemperatureV,       Symbol::DeviceGetPowerUsage,
    Symbol::DeviceGetClockInfo,          Symbol::DeviceGetMemoryInfo,         Symbol::DeviceGetMemoryInfo_v2,
    Symbol::DeviceGetUtilizationRates,   Symbol::DeviceGetMemoryErrorCounter, Symbol::DeviceGetTotalEccErrors,
    Symbol::DeviceGetSramEccErrorStatus, Symbol::DeviceGetRemappedRows,       Symbol::DeviceGetRowRemapperHistogram};

// Functions that still work on a GPU that needs a reset: its identity, and the calls of the reset itself.
constexpr Symbol kAnsweredBeforeReset[] = {Symbol::DeviceGetIndex,
                                           Symbol::DeviceGetUUID,
                                           Symbol::DeviceGetPciInfo_v3,
                                           Symbol::DeviceGetPciInfo_v2,
                                           Symbol::DeviceGetPciInfo,
                                           Symbol::DeviceGetMinorNumber,
                                           Symbol::DeviceGetName,
                                           Symbol::DeviceGetSerial,
                                           Symbol::DeviceGetVirtualizationMode,
                                           Symbol::DeviceGetArchitecture,
                                           Symbol::DeviceGetPersistenceMode,
                                           Symbol::DeviceGetGpuOperationMode};

// A client reads the UUID of the GPU of an Xid event, also after Xid 79: docs/guides/faults.md has the reports.
constexpr Symbol kAnsweredWhenLost[] = {Symbol::DeviceGetUUID};

// Does the function still work for the reason that `refusal` names?
bool answers_despite(nvmlReturn_t refusal, Symbol symbol) {
  if (refusal == NVML_ERROR_RESET_REQUIRED) return is_one_of(symbol, kAnsweredBeforeReset);
  return refusal == NVML_ERROR_GPU_IS_LOST && is_one_of(symbol, kAnsweredWhenLost);
}

struct Condition {
  Availability availability;
  bool inforom_corrupted, may_fail;
  bool has_failed, counts_errors;
  double probability;
  std::int64_t after_calls;
  std::uint64_t seed;
};

Condition condition_of(const sim::Machine& machine, const Gpu& gpu) {
  Condition out{};
  sim::state::consistently(machine, machine.sequence(gpu), [&] {
    const auto& failure = gpu.failure;
    const auto mode = failure.mode ? failure.mode->view() : std::string_view("healthy");
    out = {gpu.faults.availability,
           gpu.faults.inforom_corrupted != 0,
           mode != "healthy",
           gpu.faults.failure_tripped != 0,
           mode == "ecc_uncorrectable",
           failure.probability.value_or(0),
           failure.after_calls.value_or(0),
           static_cast<std::uint64_t>(failure.seed.value_or(0))};
  });
  return out;
}

// A number in [0, 1) for call number `call`, the same for the same seed.
double chance(std::uint64_t seed, std::uint64_t call) {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15 * (call + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

// The call that makes `failure` happen changes the GPU like an injected fault.
void trip(const sim::Machine& machine, const Gpu& gpu) {
  edit_gpu(machine, gpu, [](Gpu& changed) {
    if (changed.faults.failure_tripped != 0) return NVML_ERROR_IN_USE;  // another call was first
    changed.faults.failure_tripped = 1;
    const auto xid = changed.failure.xid.code.value_or(0);
    if (xid != 0) sim::faults::report_xid(changed, static_cast<std::uint32_t>(xid));
    if (changed.failure.mode->view() != "ecc_uncorrectable")
      sim::faults::set_availability(changed, Availability::lost, static_cast<std::uint32_t>(xid));
    return NVML_SUCCESS;
  });
}

// More errors with every call that counts.
void count_error(const sim::Machine& machine, const Gpu& gpu) {
  edit_gpu(machine, gpu, [](Gpu& changed) {
    for (auto* errors : {&changed.ecc.errors.volatile_, &changed.ecc.errors.aggregate}) {
      auto& at = errors->double_bit;
      at.device_memory = at.device_memory.value_or(0) + 1;
      at.total = at.total.value_or(0) + 1;
    }
    return NVML_SUCCESS;
  });
}

void count_call(const sim::Machine& machine, const Gpu& gpu, const Condition& condition) {
  if (machine.access() == sim::Access::read_only) return;
  auto& counter = machine.attention().failure_calls[&gpu - machine.gpus().data()];
  const auto call = counter.fetch_add(1, std::memory_order_relaxed) + 1;
  // Without a seed each machine has its own.
  const auto& header = machine.header();
  const auto seed =
      condition.seed != 0 ? condition.seed : static_cast<std::uint64_t>(header.created) << 32 | header.creator;
  const bool at_once = condition.probability <= 0 && condition.after_calls <= 0;
  const bool reached = condition.after_calls > 0 && call >= static_cast<std::uint64_t>(condition.after_calls);
  if (!condition.has_failed &&
      (at_once || reached || (condition.probability > 0 && chance(seed, call) < condition.probability)))
    trip(machine, gpu);
  else if (!condition.has_failed)
    return;
  if (condition.counts_errors) count_error(machine, gpu);
}

nvmlReturn_t unreachable(Availability availability) {
  switch (availability) {
    case Availability::available:
      return NVML_SUCCESS;
    case Availability::reset_required:
      return NVML_ERROR_RESET_REQUIRED;
    case Availability::removed:
      return NVML_ERROR_INVALID_ARGUMENT;  // the handle was of a GPU that the driver no longer has
    default:
      return NVML_ERROR_GPU_IS_LOST;
  }
}

}  // namespace

nvmlReturn_t refused_by_fault(const sim::Machine& machine, const Gpu& gpu, Symbol symbol) {
  auto condition = condition_of(machine, gpu);
  if (condition.may_fail && condition.availability == Availability::available && is_one_of(symbol, kCounted)) {
    count_call(machine, gpu, condition);
    condition = condition_of(machine, gpu);
  }
  if (const auto refusal = unreachable(condition.availability); refusal != NVML_SUCCESS)
    return answers_despite(refusal, symbol) ? NVML_SUCCESS : refusal;
  if (condition.inforom_corrupted && is_one_of(symbol, kOfInforom)) return NVML_ERROR_CORRUPTED_INFOROM;
  return NVML_SUCCESS;
}

nvmlReturn_t refused_handle(const sim::Machine& machine, const Gpu& gpu) {
  if (machine.attention().watched.load(std::memory_order_acquire) == 0) return NVML_SUCCESS;
  const auto refusal = unreachable(condition_of(machine, gpu).availability);
  return refusal == NVML_ERROR_RESET_REQUIRED ? NVML_SUCCESS : refusal;
}

}  // namespace nvmlkit::driver
