// The sampler: how few calls, no allocation, every reading with its own status.
#include <gtest/gtest.h>

#include "../allocations.hpp"
#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using nvmlkit::test::allocations;
using test::fake_table;

int g_calls = 0;

unsigned int number_of(abi::nvmlDevice_t device) {
  return static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(device) - 0x1000);
}

// Eight GPUs that answer with their own number, so that a reading on the wrong place is seen.
Table eight_gpus() {
  g_calls = 0;
  Table table = fake_table();
  table.DeviceGetCount_v2 = [](unsigned int* count) {
    *count = 8;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetPowerUsage = [](abi::nvmlDevice_t device, unsigned int* power) {
    ++g_calls;
    *power = 100'000 + number_of(device);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetUtilizationRates = [](abi::nvmlDevice_t device, abi::nvmlUtilization_t* rates) {
    ++g_calls;
    *rates = {number_of(device), 50 + number_of(device)};
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMemoryInfo_v2 = [](abi::nvmlDevice_t device, abi::nvmlMemory_v2_t* memory) {
    ++g_calls;
    EXPECT_EQ(memory->version, abi::version_tag<abi::nvmlMemory_v2_t>);
    memory->total = 1000, memory->reserved = 10, memory->free = 900 - number_of(device);
    memory->used = 90 + number_of(device);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetClockInfo = [](abi::nvmlDevice_t, abi::nvmlClockType_t type, unsigned int* clock) {
    ++g_calls;
    *clock = 1000 + static_cast<unsigned int>(type);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t device, int count, abi::nvmlFieldValue_t* values) {
    ++g_calls;
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(values[i].value.ullVal, 0u) << "a dirty field is added to by some drivers";
      values[i].nvmlReturn = abi::NVML_SUCCESS;
      values[i].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
      values[i].timestamp = 1'700'000'000'000'000;
      values[i].value.ullVal += values[i].fieldId * 10 + number_of(device);
    }
    return abi::NVML_SUCCESS;
  };
  return table;
}

std::vector<Device> devices_of(const Library& library) {
  std::vector<Device> devices;
  for (const auto& device : library.devices().value()) devices.push_back(device.value());
  return devices;
}

std::vector<Sampler::Request> every_metric() {
  std::vector<Sampler::Request> requests;
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Metric::count_); ++i)
    requests.push_back(static_cast<Metric>(i));
  return requests;
}

TEST(Sampler, FieldsShareOneCallAndStructsAreAskedForOnce) {
  const Library library = Library::from_table(eight_gpus()).value();
  auto sampler = Sampler::create(library, devices_of(library),
                                 {Metric::gpu_utilization, Metric::memory_utilization, Metric::memory_total,
                                  Metric::memory_used, Metric::memory_free, Metric::energy, Metric::memory_temperature,
                                  Metric::ecc_corrected_volatile, Sampler::Field{raw_field_id(60)}, Metric::energy})
                     .value();
  EXPECT_EQ(sampler.calls_per_tick(), 3u * 8);
  g_calls = 0;
  sampler.tick();
  EXPECT_EQ(g_calls, 3 * 8);
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    EXPECT_EQ(sampler.reading(gpu, 0).number(), static_cast<double>(gpu));
    EXPECT_EQ(sampler.reading(gpu, 1).number(), 50.0 + static_cast<double>(gpu));
    EXPECT_EQ(sampler.reading(gpu, 2).number(), 1000.0);
    EXPECT_EQ(sampler.reading(gpu, 3).number(), 90.0 + static_cast<double>(gpu));
    EXPECT_EQ(sampler.reading(gpu, 5).number(), 830.0 + static_cast<double>(gpu));
    EXPECT_EQ(sampler.reading(gpu, 6).number(), 820.0 + static_cast<double>(gpu));
    EXPECT_EQ(sampler.reading(gpu, 8).number(), 600.0 + static_cast<double>(gpu));
    EXPECT_EQ(sampler.reading(gpu, 9).number(), sampler.reading(gpu, 5).number());
    EXPECT_EQ(sampler.reading(gpu, 5).time,
              std::chrono::system_clock::time_point(std::chrono::microseconds(1'700'000'000'000'000)));
  }
}

TEST(Sampler, FortyMetricsOfEightGpusAllocateNothing) {
  const Library library = Library::from_table(eight_gpus()).value();
  const auto requests = every_metric();
  ASSERT_GE(requests.size(), 40u);
  auto sampler = Sampler::create(library, devices_of(library), requests).value();
  EXPECT_EQ(sampler.reading(7, 0).status, Errc::not_ready);
  const std::size_t before = allocations();
  for (int i = 0; i < 100; ++i) sampler.tick();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(sampler.reading(7, 0).number(), 100'007.0);
  // The counter itself works: without this the test could not fail.
  const auto another = std::make_unique<int>(1);
  EXPECT_EQ(allocations(), before + 1);
}

TEST(Sampler, AMissingFunctionOrFieldIsTheStatusOfItsOwnReading) {
  Table table = eight_gpus();
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
    for (int i = 0; i < count; ++i) values[i].nvmlReturn = abi::NVML_ERROR_NOT_SUPPORTED;
    if (count > 1) {
      values[0].nvmlReturn = abi::NVML_SUCCESS;
      values[0].valueType = abi::NVML_VALUE_TYPE_DOUBLE;
      values[0].value.dVal = 0.5;
      values[1].nvmlReturn = abi::NVML_SUCCESS;
      values[1].valueType = static_cast<abi::nvmlValueType_t>(77);
    }
    return abi::NVML_SUCCESS;
  };
  const Library library = Library::from_table(table).value();
  auto sampler = Sampler::create(library, {library.device(0).value()},
                                 {Sampler::Field{raw_field_id(1)}, Sampler::Field{raw_field_id(2)},
                                  Metric::memory_temperature, Metric::fan_speed, Metric::power})
                     .value();
  sampler.tick();
  EXPECT_EQ(std::get<double>(sampler.reading(0, 0).value), 0.5);
  EXPECT_EQ(sampler.reading(0, 1).status, Errc::malformed_answer);
  EXPECT_EQ(sampler.reading(0, 2).status, Errc::not_supported);
  EXPECT_EQ(sampler.reading(0, 3).status, Errc::function_not_found);
  EXPECT_TRUE(sampler.reading(0, 4).ok());
}

TEST(Sampler, AFunctionStandsInForAFieldThatTheGpuLacks) {
  Table table = eight_gpus();
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
    for (int i = 0; i < count; ++i) values[i].nvmlReturn = abi::NVML_ERROR_INVALID_ARGUMENT;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetTotalEnergyConsumption = [](abi::nvmlDevice_t, unsigned long long* energy) {
    *energy = 4711;
    return abi::NVML_SUCCESS;
  };
  const Library library = Library::from_table(table).value();
  auto sampler = Sampler::create(library, {library.device(0).value()}, {Metric::energy}).value();
  sampler.tick();
  EXPECT_EQ(std::get<unsigned long long>(sampler.reading(0, 0).value), 4711u);
  EXPECT_EQ(sampler.calls_per_tick(), 1u);
}

TEST(Sampler, OlderFunctionsStandInOnce) {
  static int newer = 0;
  newer = 0;
  Table table = eight_gpus();
  table.DeviceGetMemoryInfo_v2 = [](abi::nvmlDevice_t, abi::nvmlMemory_v2_t*) {
    ++newer;
    return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  };
  table.DeviceGetMemoryInfo = [](abi::nvmlDevice_t, abi::nvmlMemory_t* memory) {
    *memory = {100, 60, 40};
    return abi::NVML_SUCCESS;
  };
  const Library library = Library::from_table(table).value();
  auto sampler =
      Sampler::create(library, {library.device(0).value()}, {Metric::memory_used, Metric::memory_reserved}).value();
  for (int i = 0; i < 5; ++i) sampler.tick();
  EXPECT_EQ(newer, 1);
  EXPECT_EQ(sampler.reading(0, 0).number(), 40.0);
  EXPECT_EQ(sampler.reading(0, 1).status, Errc::not_supported);
}

TEST(Sampler, AGpuThatIsLostLaterLeavesTheOthersAlone) {
  static bool lost = false;
  lost = false;
  Table table = eight_gpus();
  table.DeviceGetPowerUsage = [](abi::nvmlDevice_t device, unsigned int* power) {
    if (lost && number_of(device) == 3) return abi::NVML_ERROR_GPU_IS_LOST;
    *power = 5;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t device, int count, abi::nvmlFieldValue_t* values) {
    if (lost && number_of(device) == 3) return abi::NVML_ERROR_GPU_IS_LOST;
    for (int i = 0; i < count; ++i) values[i].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
    return abi::NVML_SUCCESS;
  };
  const Library library = Library::from_table(table).value();
  auto sampler =
      Sampler::create(library, devices_of(library), {Metric::power, Metric::energy, Metric::power_instant}).value();
  sampler.tick();
  EXPECT_TRUE(sampler.reading(3, 0).ok());
  lost = true;
  sampler.tick();
  for (std::size_t gpu = 0; gpu < sampler.device_count(); ++gpu)
    for (std::size_t i = 0; i < sampler.request_count(); ++i)
      EXPECT_EQ(sampler.reading(gpu, i).status, gpu == 3 ? Errc::gpu_is_lost : Errc::success) << gpu << ' ' << i;
  lost = false;
  sampler.tick();
  EXPECT_TRUE(sampler.reading(3, 1).ok());
}

TEST(Sampler, AfterCloseEveryReadingSaysSo) {
  Library library = Library::from_table(eight_gpus()).value();
  auto sampler = Sampler::create(library, {library.device(0).value()}, {Metric::power, Metric::power_instant}).value();
  ASSERT_TRUE(library.close());
  sampler.tick();
  EXPECT_EQ(sampler.reading(0, 0).status, Errc::library_closed);
  EXPECT_EQ(sampler.reading(0, 1).status, Errc::library_closed);
}

// As Device::field_values(): 251 is one field on a 580.65 and another on a 580.82, and what a driver lacks is not
// asked.
TEST(Sampler, FieldIdsAreTranslatedForTheDriver) {
  static std::string version;
  Table table = eight_gpus();
  table.SystemGetDriverVersion = [](char* text, unsigned int length) {
    std::strncpy(text, version.c_str(), length);
    return abi::NVML_SUCCESS;
  };
  const auto read = [&](const char* driver) {
    version = driver;
    const Library library = Library::from_table(table).value();
    auto sampler = Sampler::create(library, {library.device(0).value()},
                                   {Sampler::Field{FieldId::pwr_smoothing_enabled}, Sampler::Field{raw_field_id(251)}})
                       .value();
    sampler.tick();
    EXPECT_EQ(sampler.reading(0, 1).number(), 2510.0);
    return sampler.reading(0, 0);
  };
  EXPECT_EQ(read("580.65.06").number(), 2560.0);
  EXPECT_EQ(read("580.82.07").number(), 2510.0);
  EXPECT_EQ(read("").status, Errc::not_supported);  // a driver that does not tell its version
}

TEST(Sampler, NamesAndUnits) {
  EXPECT_EQ(to_string(Metric::power_violation), "power_violation");
  EXPECT_EQ(metric_unit(Metric::power), "mW");
  EXPECT_EQ(to_string(Metric::count_), "?");
  const Library library = Library::from_table(eight_gpus()).value();
  EXPECT_EQ(Sampler::create(library, {}, {Metric::count_}).error().code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace nvmlkit::nvml
