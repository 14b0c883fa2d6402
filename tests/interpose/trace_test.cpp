#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "driver.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

using test::driver;
using test::gpu0;

std::string record(const std::function<void(const Table&)>& work) {
  std::ostringstream trace;
  const Table inner = driver();
  const auto wrapped = wrap(inner, std::make_shared<Recorder>(inner, trace)).value();
  work(wrapped.table());
  return trace.str();
}

Result<Replay> replay(const std::string& trace) {
  std::istringstream stream(trace);
  return Replay::from_stream(stream);
}

// What a program sees of a library, as text.
std::string look_at(const Library& library) {
  std::ostringstream out;
  for (const auto& device : library.devices().value()) {
    out << device->index().value() << ' ' << device->name().value() << ' ' << device->power_usage().value().count();
    const auto processes = device->compute_running_processes();
    for (const auto& process : processes.value()) out << ' ' << process.pid;
    out << '\n';
  }
  return out.str();
}

TEST(Trace, AProgramSeesTheSameAgain) {
  std::string seen;
  const std::string trace = record([&](const Table& table) { seen = look_at(Library::from_table(table).value()); });
  EXPECT_EQ(seen, "0 GPU 0 100000 41 42\n1 GPU 1 100001 41 42\n");
  const Replay played = replay(trace).value();
  EXPECT_EQ(look_at(Library::from_table(played.table()).value()), seen);
  EXPECT_TRUE(played.unmatched().empty()) << played.unmatched().front();
}

TEST(Trace, TheSameCallGetsTheNextAnswerAndThenTheLast) {
  unsigned int milliwatts = 0;
  const Replay played = replay(record([&](const Table& table) {
                          table.DeviceGetPowerUsage(gpu0, &milliwatts);
                          table.DeviceGetPowerUsage(gpu0, &milliwatts);
                        })).value();
  for (const unsigned int expected : {100000u, 100001u, 100001u}) {
    EXPECT_EQ(played.table().DeviceGetPowerUsage(gpu0, &milliwatts), abi::NVML_SUCCESS);
    EXPECT_EQ(milliwatts, expected);
  }
}

TEST(Trace, KeepsErrorsAndCounts) {
  const Replay played = replay(record([&](const Table& table) {
                          unsigned int count = 0;
                          table.DeviceGetComputeRunningProcesses_v3(gpu0, &count, nullptr);
                          table.ErrorString(abi::NVML_ERROR_TIMEOUT);
                        })).value();
  unsigned int count = 0;
  EXPECT_EQ(played.table().DeviceGetComputeRunningProcesses_v3(gpu0, &count, nullptr),
            abi::NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 2u);
  EXPECT_STREQ(played.table().ErrorString(abi::NVML_ERROR_TIMEOUT), "a text");
}

TEST(Trace, CallsThatItLacksAreCounted) {
  const Replay played = replay(record([](const Table& table) {
                          unsigned int milliwatts = 0;
                          table.DeviceGetPowerUsage(gpu0, &milliwatts);
                        })).value();
  unsigned int milliwatts = 7;
  EXPECT_EQ(played.table().DeviceGetPowerUsage(nvml::test::device_handle(1), &milliwatts), abi::NVML_ERROR_UNKNOWN);
  EXPECT_EQ(milliwatts, 7u);
  EXPECT_EQ(played.unmatched(), std::vector<std::string>{"nvmlDeviceGetPowerUsage [\"0x1001\",\"p\"]"});
}

TEST(Trace, WhatTheDriverLackedIsLacking) {
  const Replay played = replay(record([](const Table&) {})).value();
  EXPECT_EQ(played.table().DeviceGetSerial, nullptr);
  EXPECT_NE(played.table().DeviceGetName, nullptr);
  // What no call of a trace can be.
  EXPECT_EQ(played.table().InternalGetExportTable, nullptr);
}

TEST(Trace, StructsAreComparedWhenTheyAreRead) {
  abi::nvmlMemory_v2_t memory{};
  memory.version = 0x02000028u;
  const Replay played =
      replay(record([&](const Table& table) { table.DeviceGetMemoryInfo_v2(gpu0, &memory); })).value();
  abi::nvmlMemory_v2_t again{};
  EXPECT_EQ(played.table().DeviceGetMemoryInfo_v2(gpu0, &again), abi::NVML_ERROR_UNKNOWN);
  again.version = 0x02000028u;
  EXPECT_EQ(played.table().DeviceGetMemoryInfo_v2(gpu0, &again), abi::NVML_SUCCESS);
  EXPECT_EQ(again.total, 1000u);
  EXPECT_EQ(again.used, 10u);
}

TEST(Trace, GoesThroughAFile) {
  const std::string path = testing::TempDir() + "/trace_" + std::to_string(::getpid()) + ".jsonl";
  std::ofstream(path) << record([](const Table& table) { static_cast<void>(Library::from_table(table)); });
  EXPECT_TRUE(Library::from_table(Replay::from_file(path).value().table()));
  EXPECT_EQ(Replay::from_file("/nonexistent/trace").error().code(), Errc::not_found);
}

TEST(Trace, BrokenLinesAreRefusedWithTheirNumber) {
  const std::string head = "{\"nvmlkit_trace\":1,\"missing\":[]}\n";
  for (const char* line : {
           "{",
           "{}",
           "garbage",
           "{\"f\":\"nvmlDeviceGetIndex\"}",
           "{\"f\":\"nvmlNoSuch\",\"in\":[],\"r\":0,\"out\":[]}",
           // More bytes than the function writes, bytes for an argument that it does not write, no hexadecimal text.
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"0000000000"]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":["00",null]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"0g"]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1",null],"r":0,"out":[null,"00000000"]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"00000000"]} more)",
           // Nothing is behind a pointer there; no place; no bytes.
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"00000000"],"wrote":["1+0:00"]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"00000000"],"wrote":["1:00"]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"00000000"],"wrote":["1+"]})",
           R"({"f":"nvmlDeviceGetIndex","in":["0x1","p"],"r":0,"out":[null,"00000000"],"behind":["1+0:0"]})",
       }) {
    const auto refused = replay(head + line);
    ASSERT_FALSE(refused) << line;
    EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
    EXPECT_NE(refused.error().message().find("line 2"), std::string::npos) << refused.error().message();
  }
  EXPECT_FALSE(replay(""));
  EXPECT_FALSE(replay("{\"nvmlkit_trace\":3}"));
}

TEST(Trace, StringsSurvive) {
  const std::string odd = "quote \" back \\ tab \t end";
  Table inner = driver();
  inner.DeviceGetHandleByUUID = [](const char*, abi::nvmlDevice_t* device) {
    *device = gpu0;
    return abi::NVML_SUCCESS;
  };
  std::ostringstream trace;
  abi::nvmlDevice_t device{};
  {
    const auto wrapped = wrap(inner, std::make_shared<Recorder>(inner, trace)).value();
    wrapped.table().DeviceGetHandleByUUID(odd.c_str(), &device);
  }
  const Replay played = replay(trace.str()).value();
  device = {};
  EXPECT_EQ(played.table().DeviceGetHandleByUUID(odd.c_str(), &device), abi::NVML_SUCCESS);
  EXPECT_EQ(device, gpu0);
}

}  // namespace
}  // namespace nvmlkit::nvml::interpose
