// A driver whose every answer comes from a stream of bytes: return codes, counts, lengths, texts without an end, enums
// that nobody knows. It writes only where it was given room, as a real one does, except for the entries of 32 bytes of
// early 535 drivers. Shared by the property tests and the fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fake_table.hpp"

namespace nvmlkit::nvml::test {

struct Bytes {
  std::span<const std::uint8_t> left;

  std::uint8_t byte() {
    if (left.empty()) return 0;
    const std::uint8_t value = left.front();
    left = left.subspan(1);
    return value;
  }
  void fill(void* to, std::size_t size) {
    auto* out = static_cast<unsigned char*>(to);
    const std::size_t have = size < left.size() ? size : left.size();
    if (have > 0) std::memcpy(out, left.data(), have);
    if (size > have) std::memset(out + have, 0x5A, size - have);
    left = left.subspan(have);
  }
};
inline Bytes bytes;

// Mostly success; a code that no header has now and then.
inline abi::nvmlReturn_t code() {
  const std::uint8_t b = bytes.byte();
  if (b < 200) return abi::NVML_SUCCESS;
  if (b == 255) return static_cast<abi::nvmlReturn_t>(5000);
  return static_cast<abi::nvmlReturn_t>(b - 200);
}

// Mostly a few; now and then more than there can be.
inline unsigned int count() {
  const std::uint8_t b = bytes.byte();
  if (b < 230) return b % 40;
  if (b < 250) return (b - 229U) * 500U;
  return ~0U - (b - 250U);
}

// Count in and out with an array, told the truth about nothing but where it may write.
template <class T>
abi::nvmlReturn_t list(unsigned int* length, T* array, std::size_t stride = sizeof(T)) {
  const unsigned int room = array ? *length : 0;
  const unsigned int claimed = count();
  *length = claimed;
  const unsigned int written = claimed < room ? claimed : room;
  if (written > 0) bytes.fill(static_cast<void*>(array), written * stride);
  return claimed > room && bytes.byte() % 4 ? abi::NVML_ERROR_INSUFFICIENT_SIZE : code();
}

// What the driver reads of a block that the caller says is whole.
inline volatile unsigned int read_by_driver = 0;
template <class Block>
void read_block(const Block* block) {
  const auto* at = reinterpret_cast<const unsigned char*>(block);
  const std::size_t size = offsetof(Block, opaqueData) + block->opaqueDataSize;
  for (std::size_t i = 0; i < size; ++i) read_by_driver = read_by_driver + at[i];
}

// Terminated, and far longer than anyone wants to read.
inline char* metric_text() {
  static char long_text[2000];
  static char short_text[] = "UTIL";
  std::memset(long_text, 'x', sizeof long_text - 1);
  switch (bytes.byte() % 3) {
    case 0:
      return nullptr;
    case 1:
      return short_text;
    default:
      return long_text;
  }
}

inline void garbage_of_library(Table& t) {
  t.SystemGetDriverVersion = [](char* text, unsigned int length) {
    static const char* const versions[] = {"535.54.03", "550.163.01", "560.35.05", "575.57.08", "590.44.01"};
    const std::uint8_t which = bytes.byte();
    if (which < 200)
      std::strncpy(text, versions[which % 5], length);
    else
      bytes.fill(text, length);
    return code();
  };
  t.SystemGetDriverBranch = [](abi::nvmlSystemDriverBranchInfo_t* info, unsigned int length) {
    bytes.fill(info->branch, length);
    return code();
  };
  t.GetExcludedDeviceCount = t.DeviceGetCount_v2 = [](unsigned int* n) {
    *n = bytes.byte() < 250 ? bytes.byte() % 20U : ~0U;
    return code();
  };
  t.GetExcludedDeviceInfoByIndex = [](unsigned int, abi::nvmlExcludedDeviceInfo_t* info) {
    bytes.fill(static_cast<void*>(info), sizeof *info);
    return code();
  };
  t.SystemGetCPER_v1 = [](abi::nvmlGetCPER_v1_t* request) {
    bytes.fill(request->cursor.uuid, sizeof request->cursor.uuid);
    return list(&request->bufferSize, request->buffer);
  };
}

inline void garbage_of_device(Table& t) {
  t.DeviceGetFieldValues = t.DeviceClearFieldValues = [](abi::nvmlDevice_t, int n, abi::nvmlFieldValue_t* values) {
    bytes.fill(static_cast<void*>(values), static_cast<std::size_t>(n) * sizeof *values);
    for (int i = 0; i < n; ++i) {
      values[i].nvmlReturn = code();
      values[i].valueType = static_cast<abi::nvmlValueType_t>(bytes.byte() % 9);
    }
    return code();
  };
  t.DeviceGetComputeRunningProcesses_v3 = [](abi::nvmlDevice_t, unsigned int* n, abi::nvmlProcessInfo_t* array) {
    return list(n, array, bytes.byte() % 2 ? 24 : 32);
  };
  t.DeviceGetSamples = [](abi::nvmlDevice_t, abi::nvmlSamplingType_t, unsigned long long, abi::nvmlValueType_t* type,
                          unsigned int* n, abi::nvmlSample_t* array) {
    *type = static_cast<abi::nvmlValueType_t>(bytes.byte() % 9);
    return list(n, array);
  };
  t.DeviceReadPRMCounters_v1 = [](abi::nvmlDevice_t, abi::nvmlPRMCounterList_v1_t* l) {
    bytes.fill(static_cast<void*>(l->counters), l->numCounters * sizeof *l->counters);
    l->numCounters = count();
    return code();
  };
  t.DeviceReadWritePRM_v1 = [](abi::nvmlDevice_t, abi::nvmlPRMTLV_v1_t* tlv) {
    bytes.fill(static_cast<void*>(tlv), sizeof *tlv);
    tlv->dataSize = count();
    return code();
  };
  t.DeviceGetMaxMigDeviceCount = [](abi::nvmlDevice_t, unsigned int* n) {
    *n = bytes.byte() < 250 ? bytes.byte() % 9U : ~0U;
    return code();
  };
  t.DeviceGetMigDeviceHandleByIndex = [](abi::nvmlDevice_t, unsigned int index, abi::nvmlDevice_t* device) {
    *device = device_handle(index);
    return bytes.byte() % 2 ? abi::NVML_ERROR_NOT_FOUND : code();
  };
}

inline void garbage_of_vgpu(Table& t) {
  t.DeviceGetVgpuUtilization = [](abi::nvmlDevice_t, unsigned long long, abi::nvmlValueType_t* type, unsigned int* n,
                                  abi::nvmlVgpuInstanceUtilizationSample_t* array) {
    *type = static_cast<abi::nvmlValueType_t>(bytes.byte() % 9);
    return list(n, array);
  };
  t.VgpuInstanceGetMetadata = [](abi::nvmlVgpuInstance_t, abi::nvmlVgpuMetadata_t* block, unsigned int* size) {
    return list(size, reinterpret_cast<std::byte*>(block));
  };
  t.DeviceGetVgpuMetadata = [](abi::nvmlDevice_t, abi::nvmlVgpuPgpuMetadata_t* block, unsigned int* size) {
    return list(size, reinterpret_cast<std::byte*>(block));
  };
  t.GetVgpuCompatibility = [](abi::nvmlVgpuMetadata_t* vgpu, abi::nvmlVgpuPgpuMetadata_t* pgpu,
                              abi::nvmlVgpuPgpuCompatibility_t* answer) {
    read_block(vgpu);
    read_block(pgpu);
    bytes.fill(static_cast<void*>(answer), sizeof *answer);
    return code();
  };
  t.VgpuInstanceGetVmID = [](abi::nvmlVgpuInstance_t, char* text, unsigned int size, abi::nvmlVgpuVmIdType_t* type) {
    bytes.fill(text, size);
    bytes.fill(type, sizeof *type);
    return code();
  };
}

inline void garbage_of_objects(Table& t) {
  t.GpmSampleAlloc = [](abi::nvmlGpmSample_t* sample) {
    *sample = reinterpret_cast<abi::nvmlGpmSample_t>(std::uintptr_t{0x5000});
    return abi::NVML_SUCCESS;
  };
  t.GpmSampleFree = [](abi::nvmlGpmSample_t) { return code(); };
  t.GpmSampleGet = [](abi::nvmlDevice_t, abi::nvmlGpmSample_t) { return code(); };
  t.GpmMetricsGet = [](abi::nvmlGpmMetricsGet_t* get) {
    for (unsigned int i = 0; i < get->numMetrics; ++i) {
      auto& metric = get->metrics[i];
      bytes.fill(static_cast<void*>(&metric), sizeof metric);
      metric.nvmlReturn = code();
      metric.metricInfo = {metric_text(), metric_text(), metric_text()};
    }
    get->numMetrics = count();
    return code();
  };
  t.SystemEventSetCreate = [](abi::nvmlSystemEventSetCreateRequest_t* request) {
    request->set = reinterpret_cast<abi::nvmlSystemEventSet_t>(std::uintptr_t{0x6000});
    return abi::NVML_SUCCESS;
  };
  t.SystemEventSetFree = [](abi::nvmlSystemEventSetFreeRequest_t*) { return code(); };
  t.SystemEventSetWait = [](abi::nvmlSystemEventSetWaitRequest_t* request) {
    request->numEvent = request->dataSize;
    return list(&request->numEvent, request->data);
  };
}

inline Table garbage_table(std::span<const std::uint8_t> stream) {
  Table t = fake_table();
  bytes = {stream};
  garbage_of_library(t);
  garbage_of_device(t);
  garbage_of_vgpu(t);
  garbage_of_objects(t);
  return t;
}

// Calls every decoder once and reads all that it answers. Returns a number that depends on it.
std::uint64_t read_everything(std::span<const std::uint8_t> stream);

}  // namespace nvmlkit::nvml::test
