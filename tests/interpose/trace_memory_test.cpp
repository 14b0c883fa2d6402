// What a trace keeps of the memory of a call: structs of older versions, leftovers, memory behind pointers.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <sstream>

#include "driver.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

using test::driver;
using test::gpu0;

std::string recorded(const Table& inner, const std::function<void(const Table&)>& work) {
  std::ostringstream trace;
  const auto wrapped = wrap(inner, std::make_shared<Recorder>(inner, trace)).value();
  work(wrapped.table());
  return trace.str();
}

Replay played_of(const std::string& trace) {
  std::istringstream stream(trace);
  return Replay::from_stream(stream).value();
}

// Memory that ends where the next page cannot be read.
class EndOfPage {
 public:
  explicit EndOfPage(std::size_t size) : size_(size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    length_ = 2 * page;
    base_ = static_cast<char*>(mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + page, page, PROT_NONE);
    end_ = base_ + page;
  }
  ~EndOfPage() { munmap(base_, length_); }
  EndOfPage(const EndOfPage&) = delete;
  EndOfPage& operator=(const EndOfPage&) = delete;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(end_ - size_);
  }

 private:
  std::size_t size_, length_ = 0;
  char *base_ = nullptr, *end_ = nullptr;
};

constexpr unsigned int version_of(std::size_t size, unsigned int number) {
  return static_cast<unsigned int>(size) | number << 24;
}

TEST(TraceMemory, AnOlderStructIsNotReadBehindItsEnd) {
  Table inner = driver();
  inner.DeviceGetGpuFabricInfoV = [](abi::nvmlDevice_t, abi::nvmlGpuFabricInfoV_t* info) {
    reinterpret_cast<abi::nvmlGpuFabricInfo_v2_t*>(info)->cliqueId = 7;
    return abi::NVML_SUCCESS;
  };
  using Older = abi::nvmlGpuFabricInfo_v2_t;
  static_assert(sizeof(Older) < sizeof(abi::nvmlGpuFabricInfoV_t));
  const EndOfPage page(sizeof(Older));
  auto* info = page.as<Older>();
  const auto ask = [&](const Table& table) {
    std::memset(info, 0, sizeof *info);
    info->version = version_of(sizeof *info, 2);
    return table.DeviceGetGpuFabricInfoV(gpu0, reinterpret_cast<abi::nvmlGpuFabricInfoV_t*>(info));
  };
  const Replay played =
      played_of(recorded(inner, [&](const Table& table) { EXPECT_EQ(ask(table), abi::NVML_SUCCESS); }));
  EXPECT_EQ(ask(played.table()), abi::NVML_SUCCESS);
  EXPECT_EQ(info->cliqueId, 7u);
}

TEST(TraceMemory, LeftoversInAStructAreNoQuestion) {
  abi::nvmlMemory_v2_t memory{};
  memory.version = version_of(sizeof memory, 2);
  memory.used = 12345;
  const Replay played = played_of(recorded(driver(), [&](const Table& table) {
    EXPECT_EQ(table.DeviceGetMemoryInfo_v2(gpu0, &memory), abi::NVML_SUCCESS);
  }));
  memory.used = 777;
  EXPECT_EQ(played.table().DeviceGetMemoryInfo_v2(gpu0, &memory), abi::NVML_SUCCESS);
  EXPECT_EQ(memory.used, 10u);
  EXPECT_TRUE(played.unmatched().empty());
}

abi::nvmlProcessDetailList_t list_with(abi::nvmlProcessDetail_v1_t* room, unsigned int count) {
  abi::nvmlProcessDetailList_t list{};
  list.version = version_of(sizeof list, 1);
  list.numProcArrayEntries = count;
  list.procArray = room;
  return list;
}

Table driver_with_processes() {
  Table out = driver();
  out.DeviceGetRunningProcessDetailList = [](abi::nvmlDevice_t, abi::nvmlProcessDetailList_t* list) {
    const unsigned int room = list->procArray ? list->numProcArrayEntries : 0;
    list->numProcArrayEntries = 2;
    if (room < 2) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    list->procArray[0].pid = 41;
    list->procArray[1].pid = 42;
    return abi::NVML_SUCCESS;
  };
  return out;
}

TEST(TraceMemory, WhatIsBehindAPointerComesBackToTheCallersMemory) {
  abi::nvmlProcessDetail_v1_t first[4] = {}, second[4] = {};
  const std::string trace = recorded(driver_with_processes(), [&](const Table& table) {
    auto list = list_with(first, 4);
    EXPECT_EQ(table.DeviceGetRunningProcessDetailList(gpu0, &list), abi::NVML_SUCCESS);
  });
  EXPECT_NE(trace.find("\"wrote\":[\"1+16:29000000"), std::string::npos) << trace;
  const Replay played = played_of(trace);
  auto list = list_with(second, 4);
  EXPECT_EQ(played.table().DeviceGetRunningProcessDetailList(gpu0, &list), abi::NVML_SUCCESS);
  EXPECT_EQ(list.procArray, second);
  EXPECT_EQ(list.numProcArrayEntries, 2u);
  EXPECT_EQ(second[0].pid, 41u);
  EXPECT_EQ(second[1].pid, 42u);
  EXPECT_EQ(second[2].pid, 0u);
  EXPECT_TRUE(played.unmatched().empty());
}

TEST(TraceMemory, AnEditedTraceWritesNoFurtherThanTheCallerHasRoom) {
  abi::nvmlProcessDetail_v1_t room[3] = {};
  std::string trace = recorded(driver_with_processes(), [&](const Table& table) {
    auto list = list_with(room, 2);
    EXPECT_EQ(table.DeviceGetRunningProcessDetailList(gpu0, &list), abi::NVML_SUCCESS);
  });
  const std::string longer(sizeof room[0] * 2, 'f');
  trace.insert(trace.rfind("\"]}"), longer);
  const Replay played = played_of(trace);
  std::memset(room, 0, sizeof room);
  auto list = list_with(room, 2);
  EXPECT_EQ(played.table().DeviceGetRunningProcessDetailList(gpu0, &list), abi::NVML_SUCCESS);
  EXPECT_EQ(room[1].pid, 42u);
  EXPECT_EQ(room[2].pid, 0u);
}

TEST(TraceMemory, TextsOfTheDriverStayWhereTheyAre) {
  Table inner = driver();
  inner.GpmMetricsGet = [](abi::nvmlGpmMetricsGet_t* get) {
    static char name[] = "SM Util";
    get->metrics[0].value = 12.5;
    get->metrics[0].metricInfo.shortName = name;
    return abi::NVML_SUCCESS;
  };
  const auto ask = [](const Table& table, abi::nvmlGpmMetricsGet_t& get) {
    get.version = 1;
    get.numMetrics = 1;
    get.metrics[0].metricId = 2;
    return table.GpmMetricsGet(&get);
  };
  abi::nvmlGpmMetricsGet_t get{}, again{};
  const Replay played =
      played_of(recorded(inner, [&](const Table& table) { EXPECT_EQ(ask(table, get), abi::NVML_SUCCESS); }));
  EXPECT_EQ(ask(played.table(), again), abi::NVML_SUCCESS);
  EXPECT_EQ(again.metrics[0].value, 12.5);
  EXPECT_STREQ(again.metrics[0].metricInfo.shortName, "SM Util");
  EXPECT_EQ(again.metrics[0].metricInfo.longName, nullptr);
}

TEST(TraceMemory, ATraceOfVersion1IsReadWithItsLeftovers) {
  // Whole structs, with what only receives the answer.
  const std::string leftover = "28000002" + std::string(24, '1') + std::string(48, '0');
  const std::string answer = "28000002" + std::string(8, '0') + "e803" + std::string(60, '0');
  ASSERT_EQ(leftover.size(), 2 * sizeof(abi::nvmlMemory_v2_t));
  const Replay played =
      played_of(R"({"nvmlkit_trace":1,"missing":["nvmlDeviceGetSerial"]})"
                "\n"
                R"({"f":"nvmlDeviceGetMemoryInfo_v2","in":["0x1000","b:)" +
                leftover + R"("],"r":0,"out":[null,")" + answer.substr(0, leftover.size()) + "\"]}\n");
  EXPECT_EQ(played.table().DeviceGetSerial, nullptr);
  EXPECT_EQ(played.table().DeviceGetRunningProcessDetailList, nullptr);  // version 1 never had it
  abi::nvmlMemory_v2_t memory{};
  memory.version = version_of(sizeof memory, 2);
  EXPECT_EQ(played.table().DeviceGetMemoryInfo_v2(gpu0, &memory), abi::NVML_SUCCESS);
  EXPECT_EQ(memory.total, 1000u);
  for (const char* broken : {R"(["0x1000","b:2800"])", R"(["1000","p"])", R"(["0x1000","p"])", R"([null,"p"])"}) {
    std::istringstream stream(R"({"nvmlkit_trace":1,"missing":[]})"
                              "\n"
                              R"({"f":"nvmlDeviceGetMemoryInfo_v2","in":)" +
                              std::string(broken) + R"(,"r":0,"out":[null,null]})");
    EXPECT_FALSE(Replay::from_stream(stream)) << broken;
  }
}

}  // namespace
}  // namespace nvmlkit::nvml::interpose
