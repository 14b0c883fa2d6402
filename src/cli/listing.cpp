#include "cli/listing.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nvmlkit/generated/table.hpp>
#include <string>
#include <vector>

namespace nvmlkit::cli {
namespace {

using nvml::Table;

// The handful of functions that the table below is made of.
class Client {
 public:
  explicit Client(const std::filesystem::path& library) : handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      message_ = dlerror();
      return;
    }
    find("nvmlInit_v2", table_.Init_v2);
    find("nvmlErrorString", table_.ErrorString);
    find("nvmlDeviceGetCount_v2", table_.DeviceGetCount_v2);
    find("nvmlDeviceGetHandleByIndex_v2", table_.DeviceGetHandleByIndex_v2);
    find("nvmlDeviceGetName", table_.DeviceGetName);
    find("nvmlDeviceGetUUID", table_.DeviceGetUUID);
    find("nvmlDeviceGetPciInfo_v3", table_.DeviceGetPciInfo_v3);
    find("nvmlDeviceGetMemoryInfo", table_.DeviceGetMemoryInfo);
  }

  const Table& operator*() const { return table_; }
  const Table* operator->() const { return &table_; }
  const std::string& message() const { return message_; }

 private:
  template <class Function>
  void find(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, symbol));
    if (function == nullptr) message_ = fmt::format("the driver library lacks {}", symbol);
  }

  void* handle_;
  Table table_;
  std::string message_;
};

using Row = std::array<std::string, 5>;

void print(const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}\n", row[0], widths[0], row[1], widths[1], row[2], widths[2],
               row[3], widths[3], row[4], widths[4]);
  }
}

}  // namespace

int list_gpus(const std::filesystem::path& driver) {
  const Client nvml(driver / "libnvidia-ml.so.1");
  if (!nvml.message().empty()) {
    fmt::print(stderr, "nvmlkit: {}\n", nvml.message());
    return 1;
  }
  if (const auto code = nvml->Init_v2(); code != abi::NVML_SUCCESS) {
    fmt::print(stderr, "nvmlkit: the driver library does not start: {}\n", nvml->ErrorString(code));
    return 1;
  }
  unsigned int count = 0;
  nvml->DeviceGetCount_v2(&count);
  std::vector<Row> rows{{"GPU", "Name", "UUID", "Bus id", "Memory"}};
  for (unsigned int index = 0; index < count; ++index) {
    abi::nvmlDevice_t device = nullptr;
    std::array<char, 96> name{};
    std::array<char, 96> uuid{};
    abi::nvmlPciInfo_t pci{};
    abi::nvmlMemory_t memory{};
    auto code = nvml->DeviceGetHandleByIndex_v2(index, &device);
    if (code == abi::NVML_SUCCESS) code = nvml->DeviceGetName(device, name.data(), name.size());
    if (code == abi::NVML_SUCCESS) code = nvml->DeviceGetUUID(device, uuid.data(), uuid.size());
    if (code == abi::NVML_SUCCESS) code = nvml->DeviceGetPciInfo_v3(device, &pci);
    if (code == abi::NVML_SUCCESS) code = nvml->DeviceGetMemoryInfo(device, &memory);
    if (code == abi::NVML_SUCCESS) {
      rows.push_back(
          {std::to_string(index), name.data(), uuid.data(), pci.busId, fmt::format("{} MiB", memory.total / 1048576)});
    } else {
      rows.push_back({std::to_string(index), nvml->ErrorString(code), "", "", ""});
    }
  }
  print(rows);
  return 0;
}

}  // namespace nvmlkit::cli
