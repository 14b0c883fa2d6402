// Processes joined by PID, from every version of the functions.
#include <gtest/gtest.h>

#include "fake_table.hpp"

namespace nvmlkit::nvml {
namespace {

using test::fake_table;

unsigned int number_of(abi::nvmlDevice_t device) {
  return static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(device) - 0x1000);
}

// Answers as the driver does: too small a count is INSUFFICIENT_SIZE with the count needed.
template <class Entry>
abi::nvmlReturn_t answer(const std::vector<Entry>& entries, unsigned int* count, void* out) {
  const bool fits = *count >= entries.size();
  *count = static_cast<unsigned int>(entries.size());
  if (!fits) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  if (!entries.empty()) std::memcpy(out, entries.data(), entries.size() * sizeof(Entry));
  return abi::NVML_SUCCESS;
}

Table processes_table() {
  using Info = abi::nvmlProcessInfo_v2_t;
  Table table = fake_table();
  table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t device, unsigned int* count, Info* infos) {
    if (number_of(device) == 0) return answer<Info>({{42, 1000, ~0U, ~0U}, {7, ~0ULL, ~0U, ~0U}}, count, infos);
    return answer<Info>({{42, 500, 3, 0}, {42, 0, 4, 0}}, count, infos);
  };
  table.DeviceGetGraphicsRunningProcesses_v3 = [](abi::nvmlDevice_t device, unsigned int* count, Info* infos) {
    if (number_of(device) == 0) return answer<Info>({{42, 1200, ~0U, ~0U}}, count, infos);
    return answer<Info>({}, count, infos);
  };
  table.DeviceGetMPSComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int*, Info*) {
    return abi::NVML_ERROR_NOT_SUPPORTED;
  };
  table.DeviceGetProcessesUtilizationInfo = [](abi::nvmlDevice_t device, abi::nvmlProcessesUtilizationInfo_t* info) {
    EXPECT_EQ(info->version, abi::version_tag<abi::nvmlProcessesUtilizationInfo_v1_t>);
    if (number_of(device) == 1) return abi::NVML_ERROR_NOT_FOUND;
    return answer<abi::nvmlProcessUtilizationInfo_v1_t>(
        {{200, 42, 55, 5, 0, 0, 1, 2}, {100, 42, 99, 9, 0, 0, 0, 0}, {150, 9, 0, 0, 0, 0, 0, 0}, {}},
        &info->processSamplesCount, info->procUtilArray);
  };
  table.SystemGetProcessName = [](unsigned int pid, char* name, unsigned int length) {
    if (pid != 42) return abi::NVML_ERROR_NOT_FOUND;
    std::strncpy(name, "train", length);
    return abi::NVML_SUCCESS;
  };
  return table;
}

ProcessList list_of(const Table& table, const ProcessListOptions& options = {}) {
  return list_processes(Library::from_table(table).value(), options).value();
}

TEST(ProcessList, OneRowPerPidOverGpusInstancesAndKinds) {
  const ProcessList list = list_of(processes_table());
  ASSERT_EQ(list.processes.size(), 3u);
  EXPECT_TRUE(list.problems.empty());
  const Process& train = list.processes[2];
  EXPECT_EQ(train.pid, 42u);
  EXPECT_EQ(train.name, "train");
  ASSERT_EQ(train.uses.size(), 3u);
  EXPECT_TRUE(train.uses[0].compute && train.uses[0].graphics && !train.uses[0].mps);
  EXPECT_EQ(train.uses[0].memory, Bytes(1200));
  EXPECT_EQ(train.uses[0].gpu_instance, std::nullopt);
  EXPECT_EQ(train.uses[1].device_index, 1u);
  EXPECT_EQ(train.uses[1].gpu_instance, 3u);
  EXPECT_EQ(train.uses[2].gpu_instance, 4u);
  EXPECT_EQ(train.memory(), Bytes(1700));
}

TEST(ProcessList, UnknownIsNotZero) {
  const ProcessList list = list_of(processes_table());
  const Process& unknown_memory = list.processes[0];
  EXPECT_EQ(unknown_memory.pid, 7u);
  EXPECT_EQ(unknown_memory.memory(), std::nullopt);
  EXPECT_EQ(unknown_memory.uses.at(0).utilization, std::nullopt);
  EXPECT_EQ(unknown_memory.name, std::nullopt);
  EXPECT_EQ(list.processes[2].uses.at(2).memory, Bytes(0));
  // Seen by its utilization only: idle, which is a value.
  const Process& idle = list.processes[1];
  EXPECT_EQ(idle.pid, 9u);
  ASSERT_TRUE(idle.uses.at(0).utilization);
  EXPECT_EQ(idle.uses[0].utilization->sm, Percent(0));
  EXPECT_FALSE(idle.uses[0].compute || idle.uses[0].graphics || idle.uses[0].mps);
}

TEST(ProcessList, TheNewestSampleCounts) {
  const ProcessList list = list_of(processes_table());
  const auto& utilization = list.processes[2].uses[0].utilization;
  ASSERT_TRUE(utilization);
  EXPECT_EQ(utilization->sm, Percent(55));
  EXPECT_EQ(utilization->time, std::chrono::microseconds(200));
  EXPECT_EQ(utilization->ofa, Percent(2));
}

TEST(ProcessList, OlderUtilizationHasNoJpegEngine) {
  Table table = processes_table();
  table.DeviceGetProcessesUtilizationInfo = nullptr;
  table.DeviceGetProcessUtilization = [](abi::nvmlDevice_t device, abi::nvmlProcessUtilizationSample_t* samples,
                                         unsigned int* count, unsigned long long since) {
    EXPECT_EQ(since, 77u);
    if (number_of(device) == 1) return abi::NVML_ERROR_NOT_FOUND;
    return answer<abi::nvmlProcessUtilizationSample_t>({{42, 300, 11, 2, 3, 4}}, count, samples);
  };
  ProcessListOptions options;
  options.since = std::chrono::microseconds(77);
  const ProcessList list = list_of(table, options);
  const auto& utilization = list.processes.back().uses[0].utilization;
  ASSERT_TRUE(utilization);
  EXPECT_EQ(utilization->decoder, Percent(4));
  EXPECT_EQ(utilization->jpeg, std::nullopt);
}

TEST(ProcessList, EveryVersionOfTheListIsUnderstood) {
  Table table = fake_table();
  table.DeviceGetComputeRunningProcesses = [](abi::nvmlDevice_t, unsigned int* count,
                                              abi::nvmlProcessInfo_v1_t* infos) {
    return answer<abi::nvmlProcessInfo_v1_t>({{1, 10}, {2, 20}, {3, 30}}, count, infos);
  };
  table.DeviceGetGraphicsRunningProcesses_v2 = [](abi::nvmlDevice_t, unsigned int* count,
                                                  abi::nvmlProcessInfo_v2_t* infos) {
    return answer<abi::nvmlProcessInfo_v2_t>({{4, 40, 5, 6}}, count, infos);
  };
  const ProcessList list = list_of(table);
  ASSERT_EQ(list.processes.size(), 4u);
  EXPECT_EQ(list.processes[2].uses[0].memory, Bytes(30));
  EXPECT_EQ(list.processes[2].uses[0].gpu_instance, std::nullopt);
  EXPECT_EQ(list.processes[3].uses[0].compute_instance, 6u);
}

TEST(ProcessList, TheWideEntriesOfEarly535AreRecognized) {
  struct Wide {
    abi::nvmlProcessInfo_v2_t info;
    unsigned long long protected_memory;
  };
  static_assert(sizeof(Wide) == 32);
  Table table = fake_table();
  table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* count,
                                                 abi::nvmlProcessInfo_v2_t* infos) {
    std::vector<Wide> entries;
    for (unsigned int pid = 1; pid <= 100; ++pid) entries.push_back({{pid, pid * 10ULL, ~0U, ~0U}, 0});
    return answer<Wide>(entries, count, infos);
  };
  const ProcessList list = list_of(table);
  ASSERT_EQ(list.processes.size(), 100u);
  EXPECT_EQ(list.processes[99].pid, 100u);
  EXPECT_EQ(list.processes[99].uses[0].memory, Bytes(1000));
}

TEST(ProcessList, ALostGpuIsAProblemAndHidesNoOther) {
  Table table = processes_table();
  table.DeviceGetHandleByIndex_v2 = [](unsigned int index, abi::nvmlDevice_t* device) {
    if (index == 0) return abi::NVML_ERROR_GPU_IS_LOST;
    *device = test::device_handle(index);
    return abi::NVML_SUCCESS;
  };
  const ProcessList list = list_of(table);
  ASSERT_EQ(list.problems.size(), 1u);
  EXPECT_EQ(list.problems[0].device_index, 0u);
  EXPECT_EQ(list.problems[0].failure.code(), Errc::gpu_is_lost);
  ASSERT_EQ(list.processes.size(), 1u);
  EXPECT_EQ(list.processes[0].uses.size(), 2u);
}

TEST(ProcessList, AListThatKeepsGrowingIsReported) {
  Table table = fake_table();
  table.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* count, abi::nvmlProcessInfo_v2_t*) {
    *count = *count * 3 + 1;
    return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  };
  const ProcessList list = list_of(table);
  ASSERT_FALSE(list.problems.empty());
  EXPECT_EQ(list.problems[0].failure.code(), Errc::unstable_answer);
}

}  // namespace
}  // namespace nvmlkit::nvml
