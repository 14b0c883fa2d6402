#include "fields.hpp"

#include <cstring>

namespace nvmlkit::driver_test {
namespace {

using namespace abi;

constexpr unsigned int kScopes = 18;  // links of a GPU

// Ids of what is counted, from first to last. The bytes of PCIe have 32 bits and begin again at 0.
struct Range {
  unsigned int first, last;
};
constexpr Range kCounters[] = {
    {FI_DEV_ECC_SBE_VOL_TOTAL, FI_DEV_RETIRED_DBE},
    {FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L0, FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS},
    {FI_DEV_TOTAL_ENERGY_CONSUMPTION, FI_DEV_TOTAL_ENERGY_CONSUMPTION},
    {FI_DEV_PCIE_REPLAY_COUNTER, FI_DEV_NVLINK_BANDWIDTH_C1_L11},
    {FI_DEV_NVLINK_THROUGHPUT_DATA_TX, FI_DEV_REMAPPED_UNC},
    {FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_L0, FI_DEV_NVLINK_ERROR_DL_CRC},
    {FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER, FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER},
    {FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS, FI_DEV_PCIE_COUNT_LANE_ERROR},
    {FI_DEV_NVLINK_COUNT_XMIT_PACKETS, FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS},
    {FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS, FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS},
    {FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS, FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS},
    {FI_DEV_NVLINK_COUNT_FEC_HISTORY_0, FI_DEV_NVLINK_COUNT_FEC_HISTORY_15},
    {FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN, FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN},
    {FI_DEV_NVLINK_COUNT_RAW_ERRORS_LANE0, FI_DEV_NVLINK_COUNT_RAW_ERRORS_LANE1},
    {FI_DEV_NVLINK_PLR_XMIT_BLOCKS, FI_DEV_NVLINK_PLR_XMIT_RETRY_BLOCKS},
};

bool counts(unsigned int id) {
  for (const auto& range : kCounters)
    if (id >= range.first && id <= range.last) return true;
  return false;
}

nvmlFieldValue_t wanted(unsigned int id, unsigned int scope) {
  nvmlFieldValue_t out{};
  out.fieldId = id;
  out.scopeId = scope;
  return out;
}

}  // namespace

double number(const nvmlFieldValue_t& value) {
  switch (value.valueType) {
    case NVML_VALUE_TYPE_DOUBLE:
      return value.value.dVal;
    case NVML_VALUE_TYPE_UNSIGNED_INT:
      return value.value.uiVal;
    case NVML_VALUE_TYPE_UNSIGNED_LONG:
      return static_cast<double>(value.value.ulVal);
    case NVML_VALUE_TYPE_SIGNED_LONG_LONG:
      return static_cast<double>(value.value.sllVal);
    case NVML_VALUE_TYPE_SIGNED_INT:
      return value.value.siVal;
    case NVML_VALUE_TYPE_UNSIGNED_SHORT:
      return value.value.usVal;
    default:
      return static_cast<double>(value.value.ullVal);
  }
}

Fields::Fields(void* library, std::uintptr_t device, std::string name)
    : get_(library, "nvmlDeviceGetFieldValues"),
      device_(reinterpret_cast<nvmlDevice_t>(device)),
      name_(std::move(name)) {
  for (unsigned int id = 0; id <= FI_MAX; ++id) {
    values_.push_back(wanted(id, 0));
    // Where any scope is taken it does not matter.
    std::vector<nvmlFieldValue_t> one{wanted(id, 1000)};
    if (get(one) == NVML_SUCCESS && one[0].nvmlReturn == NVML_SUCCESS) continue;
    for (unsigned int scope = 1; scope < kScopes; ++scope) {
      one[0] = wanted(id, scope);
      if (get(one) == NVML_SUCCESS && one[0].nvmlReturn == NVML_SUCCESS) values_.push_back(one[0]);
    }
  }
  result_ = get(values_);
  again_ = before_ = values_;
}

nvmlReturn_t Fields::get(std::vector<nvmlFieldValue_t>& values) const {
  return get_(device_, static_cast<int>(values.size()), values.data());
}

const nvmlFieldValue_t* Fields::find(unsigned int id) const {
  for (const auto& value : values_)
    if (value.fieldId == id) return answers() && value.nvmlReturn == NVML_SUCCESS ? &value : nullptr;
  return nullptr;
}

void Fields::read(Complaints& complaints) {
  std::swap(before_, values_);
  const auto result = get(values_);
  if (result != result_ || get(again_) != result_)
    complaints.push_back("field values of " + name_ + " answer " + std::to_string(result) + ", before " +
                         std::to_string(result_));
  if (result != NVML_SUCCESS) return;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto &now = values_[i], &before = before_[i], &again = again_[i];
    const auto complain = [&](const char* problem) {
      complaints.push_back("field " + std::to_string(now.fieldId) + " of scope " + std::to_string(now.scopeId) +
                           " of " + name_ + ' ' + problem + ": " + std::to_string(before.nvmlReturn) + ' ' +
                           std::to_string(number(before)) + ", then " + std::to_string(now.nvmlReturn) + ' ' +
                           std::to_string(number(now)) + " and " + std::to_string(again.nvmlReturn) + ' ' +
                           std::to_string(number(again)));
    };
    if (now.nvmlReturn != before.nvmlReturn) complain("changed its result");
    if (now.nvmlReturn != again.nvmlReturn) complain("answered two results at one instant");
    if (now.nvmlReturn != NVML_SUCCESS) continue;
    if (now.timestamp != again.timestamp) complain("was read at two times in one instant");
    if (now.valueType != again.valueType || number(now) != number(again)) complain("had two values at one instant");
    if (counts(now.fieldId) && number(now) < number(before)) complain("went back");
  }
}

}  // namespace nvmlkit::driver_test
