// Generated and hand-written methods against a fake driver: chains, version tags, conversions, units.
#include <gtest/gtest.h>

#include <nvmlkit/abi/legacy.hpp>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::device_of;
using test::fake_table;

TEST(Device, ScalarsCarryTheirUnit) {
  Table table = fake_table();
  table.DeviceGetPowerUsage = [](abi::nvmlDevice_t, unsigned int* power) {
    *power = 61234;
    return abi::NVML_SUCCESS;
  };
  EXPECT_EQ(device_of(table).power_usage().value(), Milliwatts(61234));
}

TEST(Device, EnableStatesAreBool) {
  Table table = fake_table();
  table.DeviceGetEccMode = [](abi::nvmlDevice_t, abi::nvmlEnableState_t* current, abi::nvmlEnableState_t* pending) {
    *current = abi::NVML_FEATURE_ENABLED;
    *pending = abi::NVML_FEATURE_DISABLED;
    return abi::NVML_SUCCESS;
  };
  const auto mode = device_of(table).ecc_mode().value();
  EXPECT_TRUE(mode.current);
  EXPECT_FALSE(mode.pending);
}

TEST(Device, UnknownEnumValuesAndCodesRoundTrip) {
  Table table = fake_table();
  table.DeviceGetBrand = [](abi::nvmlDevice_t, abi::nvmlBrandType_t* brand) {
    *brand = static_cast<abi::nvmlBrandType_t>(4321);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMinorNumber = [](abi::nvmlDevice_t, unsigned int*) { return static_cast<abi::nvmlReturn_t>(777); };
  const Device device = device_of(table);
  EXPECT_EQ(device.brand().value(), Brand(4321));
  EXPECT_EQ(static_cast<unsigned int>(device.brand().value()), 4321u);
  EXPECT_EQ(to_string(device.brand().value()), "Brand(4321)");
  EXPECT_EQ(static_cast<int>(device.minor_number().error().code()), 777);
  EXPECT_EQ(name_of(device.minor_number().error().code()), "code 777");
}

// Each tag is asserted with its struct in generated/abi_assertions.cpp; these are the ones that break the rule.
static_assert(abi::version_tag<abi::nvmlGpmSupport_t> == 1);
static_assert(abi::version_tag<abi::nvmlGpmMetricsGet_t> == 1);
static_assert(abi::version_tag<abi::nvmlC2cModeInfo_v1_t> == 0);

TEST(Device, VersionTagsAreWritten) {
  static unsigned int seen = 0;
  Table table = fake_table();
  table.DeviceGetMemoryInfo_v2 = [](abi::nvmlDevice_t, abi::nvmlMemory_v2_t* memory) {
    seen = memory->version;
    memory->total = 80;
    return abi::NVML_SUCCESS;
  };
  EXPECT_EQ(device_of(table).memory_info().value().total, Bytes(80));
  EXPECT_EQ(seen, 0x02000028u);
}

TEST(Device, MemoryInfoFallsBackToVersionOne) {
  Table table = fake_table();
  table.DeviceGetMemoryInfo = [](abi::nvmlDevice_t, abi::nvmlMemory_t* memory) {
    *memory = {100, 60, 40};
    return abi::NVML_SUCCESS;
  };
  const auto memory = device_of(table).memory_info().value();
  EXPECT_EQ(memory.total, Bytes(100));
  EXPECT_EQ(memory.free, Bytes(60));
  EXPECT_EQ(memory.used, Bytes(40));
  EXPECT_FALSE(memory.reserved);
}

TEST(Device, OldPciInfoIsConverted) {
  Table table = fake_table();
  table.DeviceGetPciInfo_v2 = [](abi::nvmlDevice_t, abi::nvmlPciInfo_t* pci) {
    // What the old entry point fills is 52 bytes long.
    auto* older = reinterpret_cast<abi::nvmlPciInfo_v2_t*>(pci);
    std::memcpy(older->busId, "0000:3B:00.0", 13);
    older->bus = 0x3b;
    older->reserved3 = ~0U;
    return abi::NVML_SUCCESS;
  };
  const auto pci = device_of(table).pci_info().value();
  EXPECT_EQ(pci.bus_id, "0000:3B:00.0");
  EXPECT_EQ(pci.bus, 0x3bu);
}

TEST(Device, ProcessesOfVersionOneGetNoInstance) {
  Table table = fake_table();
  table.DeviceGetComputeRunningProcesses = [](abi::nvmlDevice_t, unsigned int* count,
                                              abi::nvmlProcessInfo_v1_t* infos) {
    const bool fits = *count >= 1;
    *count = 1;
    if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    infos[0] = {4711, 1 << 20};
    return abi::NVML_SUCCESS;
  };
  const auto processes = device_of(table).compute_running_processes().value();
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].pid, 4711u);
  EXPECT_FALSE(processes[0].gpu_instance_id);
}

TEST(Device, FabricInfoTriesTheOlderStructOfTheSameFunction) {
  static int calls = 0;
  calls = 0;
  Table table = fake_table();
  table.DeviceGetGpuFabricInfoV = [](abi::nvmlDevice_t, abi::nvmlGpuFabricInfoV_t* info) {
    ++calls;
    if (info->version != abi::version_tag<abi::nvmlGpuFabricInfo_v2_t>)
      return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    reinterpret_cast<abi::nvmlGpuFabricInfo_v2_t*>(info)->cliqueId = 32766;
    return abi::NVML_SUCCESS;
  };
  const Library library = Library::from_table(table).value();
  const Device device = library.device(0).value();
  EXPECT_EQ(device.gpu_fabric_info().value().clique_id, 32766u);
  EXPECT_EQ(calls, 2);
}

TEST(Device, RemappedRowsOnOldDrivers) {
  Table table = fake_table();
  table.DeviceGetRemappedRows = [](abi::nvmlDevice_t, unsigned int* corrected, unsigned int* uncorrected,
                                   unsigned int* pending, unsigned int* failed) {
    *corrected = 1, *uncorrected = 2, *pending = 0, *failed = 1;
    return abi::NVML_SUCCESS;
  };
  const auto rows = device_of(table).remapped_rows().value();
  EXPECT_EQ(rows.corr_active_remaps, 1u);
  EXPECT_EQ(rows.unc_active_remaps, 2u);
  EXPECT_TRUE(rows.failure_occurred);
  EXPECT_FALSE(rows.corr_inactive_remaps);
}

TEST(Device, APowerLimitOutOfRangeNeverReachesTheDriver) {
  static int calls = 0;
  calls = 0;
  Table table = fake_table();
  table.DeviceSetPowerManagementLimit = [](abi::nvmlDevice_t, unsigned int limit) {
    ++calls;
    EXPECT_EQ(limit, 300000u);
    return abi::NVML_SUCCESS;
  };
  const Device device = device_of(table);
  EXPECT_TRUE(device.set_power_management_limit(Milliwatts(300000)));
  EXPECT_EQ(device.set_power_management_limit(Milliwatts(-1)).error().code(), Errc::invalid_argument);
  EXPECT_EQ(calls, 1);
}

TEST(Device, FieldValuesStartCleanAndKeepTheirOwnStatus) {
  Table table = fake_table();
  table.DeviceGetFieldValues = [](abi::nvmlDevice_t, int count, abi::nvmlFieldValue_t* values) {
    EXPECT_EQ(count, 2);
    EXPECT_EQ(values[0].value.ullVal, 0u);
    EXPECT_EQ(values[1].scopeId, 5u);
    values[0].valueType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    values[0].nvmlReturn = abi::NVML_SUCCESS;
    values[0].value.ullVal = 9;
    values[1].nvmlReturn = abi::NVML_ERROR_NOT_SUPPORTED;
    return abi::NVML_SUCCESS;
  };
  const FieldQuery queries[] = {{FieldId::dev_ecc_current}, {FieldId::dev_nvlink_get_state, 5}};
  const auto values = device_of(table).field_values(queries).value();
  EXPECT_EQ(std::get<std::uint64_t>(values[0].value.value()), 9u);
  EXPECT_EQ(values[1].value.error().code(), Errc::not_supported);
}

TEST(Device, PerformanceStatesAreCountedInBytes) {
  Table table = fake_table();
  table.DeviceGetSupportedPerformanceStates = [](abi::nvmlDevice_t, abi::nvmlPstates_t* states, unsigned int bytes) {
    EXPECT_EQ(bytes, 16 * sizeof(abi::nvmlPstates_t));
    states[0] = abi::NVML_PSTATE_0;
    states[1] = abi::NVML_PSTATE_8;
    return abi::NVML_SUCCESS;
  };
  EXPECT_EQ(device_of(table).supported_performance_states().value().size(), 2u);
}

TEST(Device, NoSamplesIsAnEmptyList) {
  Table table = fake_table();
  table.DeviceGetSamples = [](abi::nvmlDevice_t, abi::nvmlSamplingType_t, unsigned long long, abi::nvmlValueType_t*,
                              unsigned int*, abi::nvmlSample_t*) { return abi::NVML_ERROR_NOT_FOUND; };
  EXPECT_TRUE(device_of(table).samples(SamplingType::gpu_utilization).value().empty());
}

TEST(Device, MigDevicesPassOverHoles) {
  Table table = fake_table();
  table.DeviceGetMaxMigDeviceCount = [](abi::nvmlDevice_t, unsigned int* count) {
    *count = 7;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMigDeviceHandleByIndex = [](abi::nvmlDevice_t, unsigned int index, abi::nvmlDevice_t* mig) {
    if (index % 3 != 0) return abi::NVML_ERROR_NOT_FOUND;
    *mig = test::device_handle(100 + index);
    return abi::NVML_SUCCESS;
  };
  EXPECT_EQ(device_of(table).mig_devices().value().size(), 3u);
}

TEST(Device, AStructWithAListIsReadWhole) {
  Table table = fake_table();
  table.DeviceGetRunningProcessDetailList = [](abi::nvmlDevice_t, abi::nvmlProcessDetailList_t* list) {
    EXPECT_EQ(list->version, abi::version_tag<abi::nvmlProcessDetailList_t>);
    EXPECT_EQ(list->mode, 2u);
    const bool fits = list->procArray && list->numProcArrayEntries >= 2;
    list->numProcArrayEntries = 2;
    if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    list->procArray[1].pid = 42;
    return abi::NVML_SUCCESS;
  };
  const auto list = device_of(table).running_process_detail_list(ProcessMode::mps).value();
  ASSERT_EQ(list.processes.size(), 2u);
  EXPECT_EQ(list.processes[1].pid, 42u);
  EXPECT_EQ(list.mode, ProcessMode::mps);
}

TEST(EventSet, TimeoutIsNoErrorAndTheSetIsFreed) {
  static int freed = 0;
  freed = 0;
  Table table = fake_table();
  table.EventSetCreate = [](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(static_cast<std::uintptr_t>(1));
    return abi::NVML_SUCCESS;
  };
  table.EventSetFree = [](abi::nvmlEventSet_t) {
    ++freed;
    return abi::NVML_SUCCESS;
  };
  table.EventSetWait_v2 = [](abi::nvmlEventSet_t, abi::nvmlEventData_t*, unsigned int) {
    return abi::NVML_ERROR_TIMEOUT;
  };
  {
    auto set = EventSet::create(Library::from_table(table).value()).value();
    EventSet moved = std::move(set);
    EXPECT_FALSE(moved.wait(std::chrono::milliseconds(0)).value());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(moved.wait(std::chrono::hours(1), stop.get_token()).value());
  }
  EXPECT_EQ(freed, 1);
}

TEST(EventSet, WaitsWithTheOldFunctionWhereThereIsNoNewer) {
  Table table = fake_table();
  table.EventSetCreate = [](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(static_cast<std::uintptr_t>(1));
    return abi::NVML_SUCCESS;
  };
  table.EventSetWait = [](abi::nvmlEventSet_t, abi::nvmlEventData_t* data, unsigned int) {
    auto* older = reinterpret_cast<abi::nvmlEventData_v1_t*>(data);
    *older = {test::device_handle(1), 8, 79};
    return abi::NVML_SUCCESS;
  };
  auto set = EventSet::create(Library::from_table(table).value()).value();
  const auto event = set.wait(std::chrono::milliseconds(1)).value();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->data, 79u);
  EXPECT_EQ(event->gpu_instance_id, ~0U);
}

}  // namespace
}  // namespace nvmlkit::nvml
