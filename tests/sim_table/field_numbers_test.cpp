// Every field id on every driver: what the headers numbered in their time means the same as the newest header's id of
// that name, scope by scope, and what a driver cannot know is an invalid argument.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace nvmlkit::sim {
namespace {

using Ids = std::map<std::string, unsigned int>;  // by name

// The facts of the headers: NVIDIA's numbers of the field ids, as the header of a version had them.
class Headers {
 public:
  Headers() {
    const std::string folder = NVMLKIT_TEST_FACTS_DIR;
    constants_ = nlohmann::json::parse(std::ifstream(folder + "/constants.json"));
    const auto history = nlohmann::json::parse(std::ifstream(folder + "/history.json"));
    changes_ = history.at("constant_changes");
    for (const auto& header : history.at("headers")) order_.emplace(header.get<std::string>(), order_.size());
  }

  // Drivers know ids that no header of their time names: nvidia-smi of 535 reads 226 and 227. So all below the first
  // one that ever changed its meaning are known to every driver, and those below NVML_FI_MAX of its header to its own.
  unsigned int limit(const std::string& header) const {
    constexpr unsigned int kFirstRenumbered = 251;
    return std::max(kFirstRenumbered, id_in(header, "NVML_FI_MAX", constants_.at("NVML_FI_MAX")).value_or(0));
  }

  Ids ids(const std::string& header) const {
    Ids out;
    for (const auto& [name, constant] : constants_.items())
      if (name.starts_with("NVML_FI_") && name != "NVML_FI_MAX")
        if (const auto id = id_in(header, name, constant)) out[name] = *id;
    return out;
  }

 private:
  std::optional<unsigned int> id_in(const std::string& header, const std::string& name,
                                    const nlohmann::json& constant) const {
    if (order_.at(constant.at("since").get<std::string>()) > order_.at(header)) return {};
    auto id = constant.at("v").get<unsigned int>();
    if (const auto changes = changes_.find(name); changes != changes_.end())
      for (const auto& change : *changes)
        if (order_.at(change.at(0).get<std::string>()) <= order_.at(header)) id = change.at(1).get<unsigned int>();
    return id;
  }

  nlohmann::json constants_, changes_;
  std::map<std::string, std::size_t> order_;
};

struct Branch {
  const char *driver, *header;
  unsigned int limit = 0;  // ids from here on are unknown, where the header is newer than the driver
};
void PrintTo(const Branch& branch, std::ostream* out) { *out << branch.driver; }

// A driver with a machine that stands still, so that two of them tell the same numbers.
class Asked {
 public:
  Asked(const char* machine, const char* driver)
      : driver_(SimulatedDriver::create(machine, {.gpu_count = 1, .driver = driver}).value()),
        library_(nvml::Library::from_table(driver_.table()).value()),
        gpu_(library_.device(0).value().handle()) {
    driver_.steer("time virtual").value();
    for (const char* live : {"load gpu=0 40% --memory 30%", "time advance 20s"}) driver_.steer(live).value();
  }

  abi::nvmlFieldValue_t operator()(unsigned int id, unsigned int scope) const {
    abi::nvmlFieldValue_t value{};
    value.fieldId = id;
    value.scopeId = scope;
    EXPECT_EQ(driver_.table().DeviceGetFieldValues(gpu_, 1, &value), abi::NVML_SUCCESS);
    return value;
  }

 private:
  SimulatedDriver driver_;
  nvml::Library library_;
  abi::nvmlDevice_t gpu_;
};

// They count from before time stood still. None was ever renumbered.
bool counts_since_start(unsigned int id) {
  return id == abi::FI_DEV_TOTAL_ENERGY_CONSUMPTION || id == abi::FI_DEV_ENERGY ||
         id == abi::FI_DEV_PCIE_COUNT_TX_BYTES || id == abi::FI_DEV_PCIE_COUNT_RX_BYTES;
}

class FieldNumbers : public testing::TestWithParam<Branch> {};

TEST_P(FieldNumbers, MeanTheSameUnderEveryScope) {
  const Headers headers;
  const auto newest = headers.ids("13.4"), own = headers.ids(GetParam().header);
  const auto limit = GetParam().limit != 0 ? GetParam().limit : headers.limit(GetParam().header);
  unsigned int highest = 0, answered = 0;
  for (const auto& [name, id] : newest) highest = std::max(highest, id);
  for (const char* machine : {"h100", "b200"}) {
    const Asked here(machine, GetParam().driver), there(machine, "615");
    std::map<unsigned int, std::string> names;
    for (const auto& [name, id] : own) names.emplace(id, name);
    for (unsigned int id = 0; id <= highest + 1; ++id) {
      const auto name = names.find(id);
      for (const unsigned int scope : {0U, 1U, 5U, 17U, 18U, 1000U}) {
        SCOPED_TRACE(std::string(machine) + ", " + std::to_string(id) + ", scope " + std::to_string(scope));
        const auto value = here(id, scope);
        EXPECT_EQ(value.fieldId, id);
        if (id >= limit) {
          EXPECT_EQ(value.nvmlReturn, abi::NVML_ERROR_INVALID_ARGUMENT);
          continue;
        }
        const auto meant = there(name == names.end() ? id : newest.at(name->second), scope);
        ASSERT_EQ(value.nvmlReturn, meant.nvmlReturn);
        if (value.nvmlReturn != abi::NVML_SUCCESS) continue;
        ++answered;
        EXPECT_EQ(value.valueType, meant.valueType);
        if (counts_since_start(id)) continue;
        EXPECT_EQ(std::memcmp(&value.value, &meant.value, sizeof value.value), 0);
      }
    }
  }
  EXPECT_GT(answered, 500U);
}

INSTANTIATE_TEST_SUITE_P(Drivers, FieldNumbers,
                         testing::Values(Branch{"535", "12.2.140"}, Branch{"550", "12.4.127"}, Branch{"555", "12.5.82"},
                                         Branch{"560", "12.6.77"}, Branch{"570", "12.8.90"}, Branch{"575", "12.9.40"},
                                         Branch{"580.65.06", "13.0.39"}, Branch{"580.105.08", "13.1.115", 274},
                                         Branch{"590", "13.1.115"}, Branch{"595", "13.2.82"}),
                         [](const auto& branch) {
                           std::string name = branch.param.driver;
                           for (auto& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace nvmlkit::sim
