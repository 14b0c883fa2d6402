// Programs on drivers of other branches: as a table of this program, and as a library that is loaded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>
#include <set>

namespace nvmlkit::sim {
namespace {

using nvml::Errc;
using nvml::Library;
using nvml::Table;

std::set<std::string> symbols_of(const Table& table) {
  std::set<std::string> names;
  for (const auto& symbol : nvml::symbols()) {
    void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&table) + symbol.offset, sizeof function);
    if (function) names.insert(symbol.name);
  }
  return names;
}

constexpr const char* kMachine = R"(version: "1.0"
base: h100
devices:
  - index: 0
    processes:
      - {pid: 7, type: C, used_memory_mib: 3}
      - {pid: 8, type: C, used_memory_mib: 4}
      - {pid: 9, type: C, used_memory_mib: 5}
    clocks_throttle_reasons: {counters: {sw_thermal_slowdown_us: 77}}
)";

class Impersonation : public testing::TestWithParam<const char*> {
 protected:
  static nlohmann::json facts() { return nlohmann::json::parse(std::ifstream(NVMLKIT_TEST_FACTS)).at(GetParam()); }
  static std::string library_path() {
    const std::string branch = GetParam();
    return branch == "535"   ? NVMLKIT_TEST_LIBRARY_535
           : branch == "550" ? NVMLKIT_TEST_LIBRARY_550
                             : NVMLKIT_TEST_LIBRARY_555;
  }
  void TearDown() override {
    for (const char* name : {"NVMLKIT_MACHINE", "NVMLKIT_DRIVER"}) unsetenv(name);
  }
};

TEST_P(Impersonation, TheTableHasWhatTheBranchExports) {
  const auto driver = SimulatedDriver::create("h100", {.driver = GetParam()}).value();
  auto wanted = facts().at("symbols").get<std::set<std::string>>();
  wanted.erase("nvmlInternalGetExportTable");
  EXPECT_EQ(symbols_of(driver.table()), wanted);
}

TEST_P(Impersonation, TheLibraryHasWhatTheBranchExports) {
  auto loaded = nvml::load({.path = library_path()}).value();
  EXPECT_EQ(symbols_of(loaded.table), facts().at("symbols").get<std::set<std::string>>());
}

// The methods that have a newer symbol than the branch fall back to an older one, or say that there is none.
void expect_fallbacks(const Library& library, const std::string& version) {
  const auto device = library.device(0).value();
  EXPECT_EQ(device.name().value(), "NVIDIA H100 80GB HBM3");
  EXPECT_TRUE(device.memory_info().has_value());
  EXPECT_EQ(device.compute_running_processes().value().size(), 3u);
  EXPECT_TRUE(device.pci_info().has_value());
  EXPECT_TRUE(library.device_by_pci_bus_id(device.pci_info().value().bus_id).has_value());
  EXPECT_EQ(library.driver_version().value(), version);
  // Families with one method whose newest member came after the branch.
  EXPECT_TRUE(device.remapped_rows().has_value()) << device.remapped_rows().error().message();
  EXPECT_STREQ(device.accounting_stats(1).error().function(), "nvmlDeviceGetAccountingStats");
  EXPECT_STREQ(device.driver_model().error().function(),
               library.table().DeviceGetDriverModel_v2 ? "nvmlDeviceGetDriverModel_v2" : "nvmlDeviceGetDriverModel");
  EXPECT_EQ(library.table().DeviceGetRemappedRows_v2, nullptr);
  // First seen in 12.6 and later.
  abi::nvmlSystemDriverBranchInfo_t branch{};
  EXPECT_EQ(library.call(&Table::SystemGetDriverBranch, &branch, 80u).error().code(), Errc::function_not_found);
}

TEST_P(Impersonation, ChainsFallBackOnTheTable) {
  const auto driver = SimulatedDriver::create(kMachine, {.driver = GetParam()}).value();
  expect_fallbacks(Library::from_table(driver.table()).value(), facts().at("version"));
}

TEST_P(Impersonation, ChainsFallBackOnTheLibrary) {
  const std::string path = testing::TempDir() + "/impersonated_" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(path) << kMachine;
  setenv("NVMLKIT_MACHINE", path.c_str(), 1);
  expect_fallbacks(Library::open({.load = {.path = library_path()}}).value(), facts().at("version"));
}

TEST_P(Impersonation, TheLibraryKeepsAVersionOfItsBranchAndRefusesOthers) {
  setenv("NVMLKIT_MACHINE", "t4", 1);
  const std::string own = std::string(GetParam()) + ".12.34";
  setenv("NVMLKIT_DRIVER", own.c_str(), 1);
  EXPECT_EQ(Library::open({.load = {.path = library_path()}}).value().driver_version().value(), own);
  setenv("NVMLKIT_DRIVER", "570", 1);
  EXPECT_EQ(Library::open({.load = {.path = library_path()}}).error().code(), Errc::unknown);
}

INSTANTIATE_TEST_SUITE_P(Branches, Impersonation, testing::Values("535", "550", "555"),
                         [](const auto& branch) { return std::string(branch.param); });

abi::nvmlReturn_t field(const std::string& driver_version, unsigned int id, abi::nvmlFieldValue_t& value) {
  const auto driver = SimulatedDriver::create(kMachine, {.driver = driver_version}).value();
  const auto library = Library::from_table(driver.table()).value();
  value = {};
  value.fieldId = id;
  EXPECT_EQ(driver.table().DeviceGetFieldValues(library.device(0).value().handle(), 1, &value), abi::NVML_SUCCESS);
  return value.nvmlReturn;
}

// 251 is NVML_FI_PWR_SMOOTHING_ENABLED for 570 and 590, and the time of software thermal slowdown for 575 and 580,
// which is 269 from 580.82 on. 535, 550 and 555 know neither.
TEST(FieldNumbering, FollowsTheDriver) {
  abi::nvmlFieldValue_t value;
  for (const char* branch : {"580.82.07", "580", "590.48.01", "610", "615"}) {
    EXPECT_EQ(field(branch, 269, value), abi::NVML_SUCCESS) << branch;
    EXPECT_EQ(value.value.ullVal, 77000u) << branch;
  }
  for (const char* branch : {"575", "580.65.06"}) {
    EXPECT_EQ(field(branch, 251, value), abi::NVML_SUCCESS) << branch;
    EXPECT_EQ(value.value.ullVal, 77000u) << branch;
    EXPECT_EQ(value.fieldId, 251u);
  }
  EXPECT_EQ(field("570", 251, value), abi::NVML_ERROR_NOT_SUPPORTED);
  for (const char* branch : {"535", "550", "555"})
    EXPECT_EQ(field(branch, 251, value), abi::NVML_ERROR_INVALID_ARGUMENT) << branch;
  EXPECT_EQ(field("580", 274, value), abi::NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(field("570", 269, value), abi::NVML_ERROR_INVALID_ARGUMENT);
  // What never moved.
  for (const char* branch : {"535", "570", "580", "610", "615"}) {
    EXPECT_EQ(field(branch, abi::FI_DEV_ECC_CURRENT, value), abi::NVML_SUCCESS) << branch;
    EXPECT_EQ(value.value.uiVal, 1u);
  }
}

// The bindings' own ids mean the same on every driver, and what a driver does differently can be listed.
TEST(Errata, AreHandledOnImpersonatedDrivers) {
  using nvml::FieldId;
  const nvml::FieldQuery queries[] = {{FieldId::dev_clocks_event_reason_sw_therm_slowdown}, {FieldId::dev_ecc_current}};
  for (const char* version :
       {"535.54.03", "550", "555", "560", "570", "575", "580.65.06", "580.82.07", "590", "610", "615"}) {
    SCOPED_TRACE(version);
    const auto driver = SimulatedDriver::create(kMachine, {.driver = version}).value();
    const auto library = Library::from_table(driver.table()).value();
    const auto device = library.device(0).value();
    const auto values = device.field_values(queries).value();
    // Since 575, under 251 first and under 269 later.
    const bool has_it = std::stoi(version) >= 575;
    EXPECT_EQ(values[0].value.has_value(), has_it);
    if (has_it) {
      EXPECT_EQ(nvml::as_double(*values[0].value), 77000.0);
    }
    EXPECT_EQ(nvml::as_double(values[1].value.value()), 1.0);
    // Of entries of another length than the caller's, the first one alone would be right.
    const auto processes = device.compute_running_processes().value();
    ASSERT_EQ(processes.size(), 3u);
    for (unsigned int i = 0; i < 3; ++i) {
      EXPECT_EQ(processes[i].pid, 7 + i);
      EXPECT_EQ(processes[i].used_gpu_memory, nvml::Bytes((3ULL + i) << 20));
    }
    std::set<std::string> active;
    for (const auto& erratum : library.active_errata().value()) active.insert(erratum.id);
    EXPECT_EQ(active.count("process-info-stride"), version == std::string("535.54.03") ? 1u : 0u);
    EXPECT_EQ(active.count("field-ids-12.5"), version == std::string("555") || version == std::string("560") ? 1u : 0u);
    EXPECT_EQ(active.count("field-ids-12.9"),
              version == std::string("575") || version == std::string("580.65.06") ? 1u : 0u);
  }
}

TEST(NewerBranches, HideWhatLaterHeadersBrought) {
  const auto symbols_with = [](const char* driver) {
    return symbols_of(SimulatedDriver::create("t4", {.driver = driver}).value().table());
  };
  const auto r555 = symbols_with("555"), r570 = symbols_with("570.86.15"), r610 = symbols_with("610"),
             r615 = symbols_with("615");
  EXPECT_TRUE(std::includes(r570.begin(), r570.end(), r555.begin(), r555.end()));
  EXPECT_TRUE(std::includes(r610.begin(), r610.end(), r570.begin(), r570.end()));
  EXPECT_EQ(r570.count("nvmlSystemGetDriverBranch"), 1u);  // 12.6.77
  EXPECT_EQ(r570.count("nvmlSystemGetCPER_v1"), 0u);       // 13.3.29
  EXPECT_EQ(r610.count("nvmlSystemGetCPER_v1"), 1u);
  EXPECT_EQ(r610.count("nvmlEventSetWait_v3"), 0u);  // 13.4
  EXPECT_TRUE(std::includes(r615.begin(), r615.end(), r610.begin(), r610.end()));
  EXPECT_EQ(r615.count("nvmlEventSetWait_v3"), 1u);
  EXPECT_EQ(r615.size(), r610.size() + 15);
  EXPECT_EQ(r615.count("nvmlDeviceGetGpuUptime_v1"), 0u);  // 13.5, of no branch that is known
}

}  // namespace
}  // namespace nvmlkit::sim
