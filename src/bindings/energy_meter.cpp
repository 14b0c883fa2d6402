#include <algorithm>
#include <cmath>
#include <nvmlkit/energy_meter.hpp>

namespace nvmlkit::nvml {

using detail::call;
using detail::Outcome;
using Seconds = std::chrono::duration<double>;

namespace {

// No module takes more: a counter that fell and would need more than this to have wrapped was reset.
constexpr double kMostMilliwatts = 20e6;
constexpr unsigned long long kWrap32 = 1ULL << 32;

bool says_no(const Failure& failure) {
  switch (failure.code()) {
    case Errc::not_supported:
    case Errc::function_not_found:
    case Errc::invalid_argument:  // an older driver's answer to a field or scope that it does not know
      return true;
    default:
      return false;
  }
}

}  // namespace

Milliwatts EnergyReading::average_power() const noexcept {
  if (elapsed.count() <= 0) return Milliwatts(0);
  return Milliwatts(std::llround(static_cast<double>(consumed.count()) / Seconds(elapsed).count()));
}

Result<EnergyMeter> EnergyMeter::start(const Library& library, const Device& device, Options options) {
  EnergyMeter meter(library.session(), device.held(), std::move(options));
  // The counter is the GPU's own; a module has none.
  Result<unsigned long long> first = meter.options_.scope == EnergyScope::gpu
                                         ? meter.read_counter()
                                         : Failure(Errc::not_supported, "nvmlDeviceGetTotalEnergyConsumption");
  if (!first && says_no(first.error())) {
    meter.source_ = EnergySource::power_samples;
    Failure reason = first.error();
    for (const Power way : {Power::usage, Power::field_instant, Power::field_average}) {
      if (way == Power::usage && meter.options_.scope != EnergyScope::gpu) continue;
      meter.power_ = way;
      first = meter.read_power();
      if (first) break;
      reason = first.error();
      if (!says_no(reason)) break;
    }
    if (!first) return reason;
  }
  if (!first) return first.error();
  meter.last_ = *first;
  meter.started_ = meter.last_time_ = meter.options_.now();
  return meter;
}

Result<EnergyReading> EnergyMeter::read() {
  const Result<unsigned long long> value = source_ == EnergySource::counter ? read_counter() : read_power();
  if (!value) return value.error();
  const Clock::time_point time = options_.now();
  const std::chrono::nanoseconds gap = time - last_time_;
  longest_gap_ = std::max(longest_gap_, gap);
  if (source_ == EnergySource::counter)
    add_counter(*value, gap);
  else
    integrated_ += (static_cast<double>(last_) + static_cast<double>(*value)) / 2 * Seconds(gap).count();
  last_ = *value;
  last_time_ = time;
  const unsigned long long consumed =
      source_ == EnergySource::counter ? counted_ : static_cast<unsigned long long>(std::llround(integrated_));
  return EnergyReading{Millijoules(consumed), time - started_, source_, resets_, longest_gap_};
}

void EnergyMeter::add_counter(unsigned long long now, std::chrono::nanoseconds gap) noexcept {
  if (now >= last_) {
    counted_ += now - last_;
    return;
  }
  // A counter of 32 bits wraps about every 4.3 MJ; a wrap is believed when the GPU could have taken that much.
  const unsigned long long wrapped = kWrap32 - last_ + now;
  if (last_ < kWrap32 && static_cast<double>(wrapped) <= kMostMilliwatts * Seconds(gap).count()) {
    counted_ += wrapped;
    return;
  }
  ++resets_;
  counted_ += now;  // it counts from zero since the reset
}

Result<unsigned long long> EnergyMeter::read_counter() const {
  unsigned long long energy = 0;
  const Outcome outcome = call(*session_, &Table::DeviceGetTotalEnergyConsumption, device_, &energy);
  if (!outcome.ok()) return outcome.failure();
  return energy;
}

Result<unsigned long long> EnergyMeter::read_power() const {
  if (power_ == Power::field_instant) return read_power_field(abi::FI_DEV_POWER_INSTANT);
  if (power_ == Power::field_average) return read_power_field(abi::FI_DEV_POWER_AVERAGE);
  unsigned int power = 0;
  const Outcome outcome = call(*session_, &Table::DeviceGetPowerUsage, device_, &power);
  if (!outcome.ok()) return outcome.failure();
  return power;
}

Result<unsigned long long> EnergyMeter::read_power_field(unsigned int field) const {
  abi::nvmlFieldValue_t value{};
  value.fieldId = field;
  value.scopeId = options_.scope == EnergyScope::module ? abi::POWER_SCOPE_MODULE : abi::POWER_SCOPE_GPU;
  const Outcome outcome = call(*session_, &Table::DeviceGetFieldValues, device_, 1, &value);
  if (!outcome.ok()) return outcome.failure();
  if (value.nvmlReturn != abi::NVML_SUCCESS)
    return Failure(static_cast<Errc>(value.nvmlReturn), "nvmlDeviceGetFieldValues");
  if (value.valueType != abi::NVML_VALUE_TYPE_UNSIGNED_INT)
    return Failure(Errc::malformed_answer, "nvmlDeviceGetFieldValues", "power is no unsigned int");
  return value.value.uiVal;
}

}  // namespace nvmlkit::nvml
