// Energy from a counter and from power samples, by a scripted clock.
#include <gtest/gtest.h>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using namespace std::chrono_literals;
using test::fake_table;

unsigned long long g_counter = 0;
unsigned int g_power = 0;
abi::nvmlReturn_t g_status = abi::NVML_SUCCESS;
EnergyMeter::Clock::time_point g_now;

Table counter_table() {
  g_status = abi::NVML_SUCCESS;
  g_now = {};
  Table table = fake_table();
  table.DeviceGetTotalEnergyConsumption = [](abi::nvmlDevice_t, unsigned long long* energy) {
    *energy = g_counter;
    return g_status;
  };
  return table;
}

Table power_table() {
  Table table = counter_table();
  table.DeviceGetTotalEnergyConsumption = [](abi::nvmlDevice_t, unsigned long long*) {
    return abi::NVML_ERROR_NOT_SUPPORTED;
  };
  table.DeviceGetPowerUsage = [](abi::nvmlDevice_t, unsigned int* power) {
    *power = g_power;
    return g_status;
  };
  return table;
}

Result<EnergyMeter> start(const Table& table, EnergyScope scope = EnergyScope::gpu) {
  const Library library = Library::from_table(table).value();
  return EnergyMeter::start(library, library.device(0).value(), {scope, [] { return g_now; }});
}

TEST(EnergyMeter, TheCounterIsPreferred) {
  Table table = counter_table();
  table.DeviceGetPowerUsage = [](abi::nvmlDevice_t, unsigned int*) {
    ADD_FAILURE() << "power is not needed";
    return abi::NVML_SUCCESS;
  };
  g_counter = 1'000'000;
  EnergyMeter meter = start(table).value();
  EXPECT_EQ(meter.source(), EnergySource::counter);
  g_counter += 350'000;
  g_now += 500ms;
  const EnergyReading reading = meter.read().value();
  EXPECT_EQ(reading.consumed, Millijoules(350'000));
  EXPECT_EQ(reading.elapsed, 500ms);
  EXPECT_EQ(reading.average_power(), Milliwatts(700'000));
  EXPECT_EQ(reading.resets, 0u);
}

TEST(EnergyMeter, NoTimeIsNoPower) {
  g_counter = 5;
  EnergyMeter meter = start(counter_table()).value();
  EXPECT_EQ(meter.read().value().average_power(), Milliwatts(0));
}

TEST(EnergyMeter, AResetLosesOnlyWhatNobodySaw) {
  g_counter = 9'000'000'000;  // above 32 bits: no wrap can explain a fall
  EnergyMeter meter = start(counter_table()).value();
  g_counter += 1000, g_now += 1s;
  EXPECT_EQ(meter.read().value().consumed, Millijoules(1000));
  g_counter = 40, g_now += 1s;
  EXPECT_EQ(meter.read().value().consumed, Millijoules(1040));
  g_counter = 50, g_now += 1s;
  const EnergyReading reading = meter.read().value();
  EXPECT_EQ(reading.consumed, Millijoules(1050));
  EXPECT_EQ(reading.resets, 1u);
}

TEST(EnergyMeter, A32BitCounterWraps) {
  g_counter = 0xffff'ff00;
  EnergyMeter meter = start(counter_table()).value();
  g_counter = 0x100, g_now += 1s;
  const EnergyReading reading = meter.read().value();
  EXPECT_EQ(reading.consumed, Millijoules(0x200));
  EXPECT_EQ(reading.resets, 0u);
}

TEST(EnergyMeter, ASmallCounterThatFallsWasReset) {
  g_counter = 50'000;  // a wrap would be 4 MJ within a second
  EnergyMeter meter = start(counter_table()).value();
  g_counter = 10, g_now += 1s;
  const EnergyReading reading = meter.read().value();
  EXPECT_EQ(reading.consumed, Millijoules(10));
  EXPECT_EQ(reading.resets, 1u);
}

TEST(EnergyMeter, PowerIsIntegratedByTrapezoids) {
  Table table = power_table();
  g_power = 100'000;
  EnergyMeter meter = start(table).value();
  EXPECT_EQ(meter.source(), EnergySource::power_samples);
  g_power = 300'000, g_now += 1s;
  EXPECT_EQ(meter.read().value().consumed, Millijoules(200'000));
  g_now += 500ms;
  EXPECT_EQ(meter.read().value().consumed, Millijoules(350'000));
  g_power = 0, g_now += 2s;
  const EnergyReading reading = meter.read().value();
  EXPECT_EQ(reading.consumed, Millijoules(650'000));
  EXPECT_EQ(reading.longest_gap, 2s);
}

TEST(EnergyMeter, AFailedReadIsSpanned) {
  Table table = power_table();
  g_power = 100'000;
  EnergyMeter meter = start(table).value();
  g_now += 1s;
  g_status = abi::NVML_ERROR_GPU_IS_LOST;
  EXPECT_EQ(meter.read().error().code(), Errc::gpu_is_lost);
  g_status = abi::NVML_SUCCESS;
  g_now += 1s;
  EXPECT_EQ(meter.read().value().consumed, Millijoules(200'000));
}

TEST(EnergyMeter, ALostGpuIsNoMissingCounter) {
  Table table = power_table();
  table.DeviceGetTotalEnergyConsumption = [](abi::nvmlDevice_t, unsigned long long*) {
    return abi::NVML_ERROR_GPU_IS_LOST;
  };
  EXPECT_EQ(start(table).error().code(), Errc::gpu_is_lost);
}

TEST(EnergyMeter, AModuleIsReadByItsScope) {
  Table table = counter_table();
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* value) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(value->scopeId, abi::POWER_SCOPE_MODULE);
    if (value->fieldId == abi::FI_DEV_POWER_INSTANT) {
      value->nvmlReturn = abi::NVML_ERROR_NOT_SUPPORTED;
      return abi::NVML_SUCCESS;
    }
    value->valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
    value->value.uiVal = 1'000'000;
    return abi::NVML_SUCCESS;
  };
  EnergyMeter meter = start(table, EnergyScope::module).value();
  g_now += 3s;
  EXPECT_EQ(meter.read().value().consumed, Millijoules(3'000'000));
}

TEST(EnergyMeter, NeitherCounterNorPower) {
  EXPECT_EQ(start(fake_table()).error().code(), Errc::function_not_found);
  EXPECT_EQ(start(fake_table(), EnergyScope::module).error().code(), Errc::function_not_found);
}

}  // namespace
}  // namespace nvmlkit::nvml
