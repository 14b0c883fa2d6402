// Calls that are irregular in C: system events, records and registers, MIG devices, samples.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::device_of;
using test::fake_table;
using test::library_of;

std::vector<abi::nvmlSystemEventData_v1_t> pending;
unsigned long long watched = 0;
int freed = 0;
Table event_table() {
  pending.clear();
  watched = 0;
  freed = 0;
  Table table = fake_table();
  table.SystemEventSetCreate = [](abi::nvmlSystemEventSetCreateRequest_t* request) {
    if (request->version != abi::version_tag<abi::nvmlSystemEventSetCreateRequest_v1_t>)
      return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    request->set = reinterpret_cast<abi::nvmlSystemEventSet_t>(std::uintptr_t{0x77});
    return abi::NVML_SUCCESS;
  };
  table.SystemEventSetFree = [](abi::nvmlSystemEventSetFreeRequest_t* request) {
    freed += request->set == reinterpret_cast<abi::nvmlSystemEventSet_t>(std::uintptr_t{0x77});
    return abi::NVML_SUCCESS;
  };
  table.SystemRegisterEvents = [](abi::nvmlSystemRegisterEventRequest_t* request) {
    watched = request->eventTypes;
    return abi::NVML_SUCCESS;
  };
  table.SystemEventSetWait = [](abi::nvmlSystemEventSetWaitRequest_t* request) {
    if (pending.empty()) return abi::NVML_ERROR_TIMEOUT;
    request->numEvent = 0;
    while (!pending.empty() && request->numEvent < request->dataSize) {
      request->data[request->numEvent++] = pending.front();
      pending.erase(pending.begin());
    }
    return abi::NVML_SUCCESS;
  };
  return table;
}

TEST(SystemEvents, AreWatchedWaitedForAndFreed) {
  const Library library = library_of(event_table());
  {
    auto set = SystemEventSet::create(library).value();
    ASSERT_TRUE(set.watch(SystemEventType::gpu_driver_unbind | SystemEventType::gpu_driver_bind));
    EXPECT_EQ(watched, 3u);
    for (unsigned int i = 0; i < 70; ++i) pending.push_back({1, i});
    const auto first = set.wait(std::chrono::milliseconds(0)).value();
    ASSERT_EQ(first.size(), 64u);
    EXPECT_EQ(first[63].gpu_id, 63u);
    EXPECT_EQ(first[63].type, SystemEventType::gpu_driver_unbind);
    EXPECT_EQ(set.wait(std::chrono::milliseconds(0)).value().size(), 6u);
    EXPECT_TRUE(set.wait(std::chrono::milliseconds(0)).value().empty());
    SystemEventSet moved = std::move(set);
  }
  EXPECT_EQ(freed, 1);
}

TEST(SystemEvents, AStopRequestEndsTheWait) {
  auto set = SystemEventSet::create(library_of(event_table())).value();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(set.wait(std::chrono::hours(1), stop.get_token()).value().empty());
}

TEST(SystemEvents, MoreEventsThanRoomIsMalformed) {
  Table table = event_table();
  table.SystemEventSetWait = [](abi::nvmlSystemEventSetWaitRequest_t* request) {
    request->numEvent = request->dataSize + 1;
    return abi::NVML_SUCCESS;
  };
  auto set = SystemEventSet::create(library_of(table)).value();
  EXPECT_EQ(set.wait(std::chrono::milliseconds(0)).error().code(), Errc::malformed_answer);
}

TEST(Cper, TheCursorMovesOnlyWithAnAnswer) {
  static unsigned int failures;
  failures = 1;
  Table table = fake_table();
  table.SystemGetCPER_v1 = [](abi::nvmlGetCPER_v1_t* request) {
    EXPECT_EQ(request->cursor.cperTypeMask, static_cast<unsigned int>(abi::NVML_CPER_ACCESS_TYPE_GPU));
    const unsigned long long place = request->cursor.handle;
    request->cursor.handle = place + 1;  // also where it fails
    const unsigned int size = place == 2 ? 0 : 10;
    const bool fits = request->bufferSize >= size;
    request->bufferSize = size;
    if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    if (place == 1 && failures-- > 0) return abi::NVML_ERROR_NOT_READY;
    if (size) std::memset(request->buffer, static_cast<int>(place), size);
    return abi::NVML_SUCCESS;
  };
  CperCursor cursor(library_of(table));
  EXPECT_EQ(cursor.next().value().value(), std::vector<std::byte>(10, std::byte{0}));
  EXPECT_EQ(cursor.next().error().code(), Errc::not_ready);
  EXPECT_EQ(cursor.next().value().value(), std::vector<std::byte>(10, std::byte{1}));
  EXPECT_EQ(cursor.next().value(), std::nullopt);
}

TEST(Prm, CountersAndRegisters) {
  Table table = fake_table();
  table.DeviceReadPRMCounters_v1 = [](abi::nvmlDevice_t, abi::nvmlPRMCounterList_v1_t* list) {
    EXPECT_EQ(list->numCounters, 2u);
    EXPECT_EQ(list->counters[1].inData.localPort, 6u);
    list->counters[0].counterValue.status = abi::NVML_SUCCESS;
    list->counters[0].counterValue.outputType = abi::NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    list->counters[0].counterValue.outputValue.ullVal = 12;
    return abi::NVML_SUCCESS;
  };
  table.DeviceReadWritePRM_v1 = [](abi::nvmlDevice_t, abi::nvmlPRMTLV_v1_t* tlv) {
    tlv->outData[0] = static_cast<unsigned char>(tlv->inData[1] + 1);
    tlv->dataSize = 1;
    tlv->status = 3;
    return abi::NVML_SUCCESS;
  };
  const Device device = device_of(table);
  const PrmCounterQuery queries[] = {{PrmCounterId::ppcnt_plr_xmit_codes, 1}, {PrmCounterId::ppcnt_plr_sync_events, 6}};
  const auto counters = device.prm_counters(queries).value();
  EXPECT_EQ(std::get<std::uint64_t>(counters[0].value.value()), 12u);
  EXPECT_EQ(counters[1].value.error().code(), Errc::unknown);  // the driver passed over it
  const std::byte request[] = {std::byte{1}, std::byte{41}};
  const auto answer = device.read_write_prm(request).value();
  EXPECT_EQ(answer.status, 3u);
  EXPECT_EQ(answer.data, std::vector<std::byte>{std::byte{42}});
  EXPECT_EQ(device.read_write_prm(std::vector<std::byte>(497)).error().code(), Errc::invalid_argument);
}

TEST(Excluded, OneThatFailsHidesNoOther) {
  Table table = fake_table();
  table.GetExcludedDeviceCount = [](unsigned int* count) {
    *count = 2;
    return abi::NVML_SUCCESS;
  };
  table.GetExcludedDeviceInfoByIndex = [](unsigned int index, abi::nvmlExcludedDeviceInfo_t* info) {
    if (index == 0) return abi::NVML_ERROR_UNKNOWN;
    std::memset(info->uuid, 'u', sizeof info->uuid);
    std::strcpy(info->pciInfo.busId, "00000000:53:00.0");
    info->pciInfo.bus = 0x53;
    return abi::NVML_SUCCESS;
  };
  auto devices = library_of(table).excluded_devices().value();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].error().code(), Errc::unknown);
  EXPECT_EQ(devices[1]->uuid, std::string(80, 'u'));
  EXPECT_EQ(devices[1]->bus, 0x53u);
  // Under their first names.
  table.GetBlacklistDeviceCount = table.GetExcludedDeviceCount;
  table.GetBlacklistDeviceInfoByIndex = table.GetExcludedDeviceInfoByIndex;
  table.GetExcludedDeviceCount = nullptr;
  devices = library_of(table).excluded_devices().value();
  EXPECT_EQ(devices[1]->bus_id, "00000000:53:00.0");
}

TEST(System, BranchTextAndBinaryUuid) {
  Table table = fake_table();
  table.SystemGetDriverBranch = [](abi::nvmlSystemDriverBranchInfo_t* info, unsigned int length) {
    EXPECT_EQ(length, sizeof info->branch);
    std::strcpy(info->branch, "r550_00");
    return abi::NVML_SUCCESS;
  };
  table.ErrorString = [](abi::nvmlReturn_t code) {
    return code == abi::NVML_ERROR_UNKNOWN ? "Unknown Error" : nullptr;
  };
  table.DeviceGetHandleByUUIDV = [](const abi::nvmlUUID_t* uuid, abi::nvmlDevice_t* device) {
    EXPECT_EQ(uuid->type, static_cast<unsigned int>(abi::NVML_UUID_TYPE_BINARY));
    *device = test::device_handle(uuid->value.bytes[15]);
    return abi::NVML_SUCCESS;
  };
  Library library = library_of(table);
  EXPECT_EQ(library.driver_branch().value(), "r550_00");
  EXPECT_EQ(library.driver_text(Errc::unknown).value(), "Unknown Error");
  EXPECT_EQ(library.driver_text(Errc::timeout).value(), "");
  std::array<std::byte, 16> uuid{};
  uuid[15] = std::byte{1};
  EXPECT_EQ(library.device_by_binary_uuid(uuid).value().handle(), test::device_handle(1));
  ASSERT_TRUE(library.close());
  EXPECT_EQ(library.driver_text(Errc::unknown).error().code(), Errc::library_closed);
}

TEST(Device, ATemperatureThresholdGoesByPointer) {
  static int seen = 0;
  Table table = fake_table();
  table.DeviceSetTemperatureThreshold = [](abi::nvmlDevice_t, abi::nvmlTemperatureThresholds_t, int* degrees) {
    seen = *degrees;
    return abi::NVML_SUCCESS;
  };
  const Device device = device_of(table);
  EXPECT_TRUE(device.set_temperature_threshold(TemperatureThreshold::acoustic_curr, Celsius(84)));
  EXPECT_EQ(seen, 84);
  EXPECT_EQ(device.set_temperature_threshold(TemperatureThreshold::acoustic_curr, Celsius(1LL << 40)).error().code(),
            Errc::invalid_argument);
}

template <class T>
concept HasPower = requires(const T& device) {
  device.power_usage();
};
template <class T>
concept HasMemory = requires(const T& device) {
  device.memory_info();
};
static_assert(HasPower<Device> && HasMemory<Device>);
// What a MIG device never answers does not compile.
static_assert(!HasPower<MigDevice> && HasMemory<MigDevice>);
static_assert(!std::is_convertible_v<MigDevice, Device>);

TEST(MigDevice, LeadsBackToItsGpu) {
  Table table = fake_table();
  table.DeviceGetMaxMigDeviceCount = [](abi::nvmlDevice_t, unsigned int* count) {
    *count = 7;
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetMigDeviceHandleByIndex = [](abi::nvmlDevice_t, unsigned int index, abi::nvmlDevice_t* device) {
    if (index % 2) return abi::NVML_ERROR_NOT_FOUND;
    *device = test::device_handle(100 + index);
    return abi::NVML_SUCCESS;
  };
  table.DeviceGetDeviceHandleFromMigDeviceHandle = [](abi::nvmlDevice_t, abi::nvmlDevice_t* gpu) {
    *gpu = test::device_handle(0);
    return abi::NVML_SUCCESS;
  };
  const Device gpu = device_of(table);
  const auto devices = gpu.mig_devices().value();
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[1].handle(), test::device_handle(102));
  EXPECT_EQ(devices[1].gpu().value(), gpu);
  EXPECT_EQ(devices[1].as_device().handle(), devices[1].handle());
  EXPECT_FALSE(devices[0] == devices[1]);
}

TEST(MigDevice, AnAbsurdCountIsMalformed) {
  Table table = fake_table();
  table.DeviceGetMaxMigDeviceCount = [](abi::nvmlDevice_t, unsigned int* count) {
    *count = ~0U;
    return abi::NVML_SUCCESS;
  };
  EXPECT_EQ(device_of(table).mig_devices().error().code(), Errc::malformed_answer);
}

}  // namespace
}  // namespace nvmlkit::nvml
