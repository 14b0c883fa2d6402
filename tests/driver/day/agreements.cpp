#include "agreements.hpp"

namespace nvmlkit::driver_test {

using namespace abi;

namespace {

struct Violation {
  unsigned int policy, field;
};
constexpr Violation kViolations[] = {{NVML_PERF_POLICY_POWER, FI_DEV_PERF_POLICY_POWER},
                                     {NVML_PERF_POLICY_THERMAL, FI_DEV_PERF_POLICY_THERMAL},
                                     {NVML_PERF_POLICY_SYNC_BOOST, FI_DEV_PERF_POLICY_SYNC_BOOST},
                                     {NVML_PERF_POLICY_BOARD_LIMIT, FI_DEV_PERF_POLICY_BOARD_LIMIT},
                                     {NVML_PERF_POLICY_LOW_UTILIZATION, FI_DEV_PERF_POLICY_LOW_UTILIZATION},
                                     {NVML_PERF_POLICY_RELIABILITY, FI_DEV_PERF_POLICY_RELIABILITY},
                                     {NVML_PERF_POLICY_TOTAL_APP_CLOCKS, FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS},
                                     {NVML_PERF_POLICY_TOTAL_BASE_CLOCKS, FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS}};

struct EccTotal {
  unsigned int error, counter, field;
};
constexpr EccTotal kEccTotals[] = {{NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC, FI_DEV_ECC_SBE_VOL_TOTAL},
                                   {NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC, FI_DEV_ECC_DBE_VOL_TOTAL},
                                   {NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC, FI_DEV_ECC_SBE_AGG_TOTAL},
                                   {NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, FI_DEV_ECC_DBE_AGG_TOTAL}};

}  // namespace

Agreements::Agreements(void* library, nvmlDevice_t gpu, std::vector<nvmlDevice_t> mig_devices, std::string name)
    : library_(library), gpu_(gpu), mig_devices_(std::move(mig_devices)), name_(std::move(name)) {}

template <class... Args>
nvmlReturn_t Agreements::call(const char* function, Args... args) const {
  return Entry<Args...>(library_, function)(args...);
}

void Agreements::same(const std::string& what, double one, double other, Complaints& complaints) {
  compared_.insert(what);
  if (one != other)
    complaints.push_back(what + " of " + name_ + ": " + std::to_string(one) + " is not " + std::to_string(other));
}

// A function of one number and a field; T is the type of the number.
template <class T, class... Args>
void Agreements::same_field(const Fields& fields, unsigned int id, const char* function, Complaints& complaints,
                            Args... args) {
  T value{};
  const bool told = call(function, gpu_, args..., &value) == NVML_SUCCESS;
  const auto* field = fields.find(id);
  if (told && field)
    same(std::string(function) + " and field " + std::to_string(id), static_cast<double>(value), number(*field),
         complaints);
}

void Agreements::check(const Fields& fields, Complaints& complaints) {
  check_power(fields, complaints);
  check_errors(fields, complaints);
  check_clocks(complaints);
  check_reasons(complaints);
  check_memory(complaints);
}

void Agreements::check_power(const Fields& fields, Complaints& complaints) {
  using Watts = unsigned int;
  same_field<Watts>(fields, FI_DEV_POWER_AVERAGE, "nvmlDeviceGetPowerUsage", complaints);
  same_field<Watts>(fields, FI_DEV_POWER_DEFAULT_LIMIT, "nvmlDeviceGetPowerManagementDefaultLimit", complaints);
  same_field<Watts>(fields, FI_DEV_POWER_CURRENT_LIMIT, "nvmlDeviceGetEnforcedPowerLimit", complaints);
  same_field<Watts>(fields, FI_DEV_POWER_REQUESTED_LIMIT, "nvmlDeviceGetPowerManagementLimit", complaints);
  same_field<unsigned long long>(fields, FI_DEV_TOTAL_ENERGY_CONSUMPTION, "nvmlDeviceGetTotalEnergyConsumption",
                                 complaints);
  nvmlValueType_t type{};
  unsigned int count = 120, celsius = 0;
  nvmlSample_t samples[120];
  // The clock stands at whole seconds, where there is a sample of power.
  if (const auto* instant = fields.find(FI_DEV_POWER_INSTANT);
      instant &&
      call("nvmlDeviceGetSamples", gpu_, NVML_TOTAL_POWER_SAMPLES, 0ULL, &type, &count, +samples) == NVML_SUCCESS) {
    same("the time of the newest sample of power", static_cast<double>(samples[count - 1].timeStamp),
         static_cast<double>(instant->timestamp), complaints);
    same("the newest sample of power", samples[count - 1].sampleValue.uiVal, number(*instant), complaints);
  }
  nvmlTemperature_t temperature{version_tag<nvmlTemperature_t>, NVML_TEMPERATURE_GPU, 0};
  nvmlGpuThermalSettings_t settings{};
  if (call("nvmlDeviceGetTemperature", gpu_, NVML_TEMPERATURE_GPU, &celsius) != NVML_SUCCESS) return;
  if (call("nvmlDeviceGetTemperatureV", gpu_, &temperature) == NVML_SUCCESS)
    same("the two temperatures", celsius, temperature.temperature, complaints);
  if (call("nvmlDeviceGetThermalSettings", gpu_, 0U, &settings) == NVML_SUCCESS)
    same("temperature and thermal settings", celsius, settings.sensor[0].currentTemp, complaints);
}

void Agreements::check_errors(const Fields& fields, Complaints& complaints) {
  for (const auto& total : kEccTotals)
    same_field<unsigned long long>(fields, total.field, "nvmlDeviceGetTotalEccErrors", complaints, total.error,
                                   total.counter);
  same_field<unsigned int>(fields, FI_DEV_PCIE_REPLAY_COUNTER, "nvmlDeviceGetPcieReplayCounter", complaints);
  for (const auto& violation : kViolations) {
    nvmlViolationTime_t time{};
    const auto* field = fields.find(violation.field);
    if (field && call("nvmlDeviceGetViolationStatus", gpu_, violation.policy, &time) == NVML_SUCCESS)
      same("violation " + std::to_string(violation.policy) + " and its field", static_cast<double>(time.violationTime),
           number(*field), complaints);
  }
  unsigned int rows[4]{};
  if (call("nvmlDeviceGetRemappedRows", gpu_, rows, rows + 1, rows + 2, rows + 3) == NVML_SUCCESS)
    for (unsigned int i = 0; i < 4; ++i)
      if (const auto* field = fields.find(static_cast<unsigned int>(FI_DEV_REMAPPED_COR) + i))
        same("remapped rows " + std::to_string(i), rows[i], number(*field), complaints);
}

void Agreements::check_clocks(Complaints& complaints) {
  for (unsigned int type = 0; type < NVML_CLOCK_COUNT; ++type) {
    unsigned int now = 0, current = 0, highest = 0;
    if (call("nvmlDeviceGetClockInfo", gpu_, type, &now) != NVML_SUCCESS) continue;
    if (call("nvmlDeviceGetClock", gpu_, type, static_cast<unsigned int>(NVML_CLOCK_ID_CURRENT), &current) ==
        NVML_SUCCESS)
      same("the two clocks " + std::to_string(type), now, current, complaints);
    if (call("nvmlDeviceGetMaxClockInfo", gpu_, type, &highest) == NVML_SUCCESS && now > highest)
      complaints.push_back("clock " + std::to_string(type) + " of " + name_ + " is beyond its highest");
  }
  nvmlUtilization_t rates{};
  nvmlGpuDynamicPstatesInfo_t domains{};
  if (call("nvmlDeviceGetUtilizationRates", gpu_, &rates) == NVML_SUCCESS &&
      call("nvmlDeviceGetDynamicPstatesInfo", gpu_, &domains) == NVML_SUCCESS)
    same("the two utilizations", rates.gpu, domains.utilization[0].percentage, complaints);
}

void Agreements::check_reasons(Complaints& complaints) {
  for (const auto& [event, throttle] :
       {std::pair("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"),
        std::pair("nvmlDeviceGetSupportedClocksEventReasons", "nvmlDeviceGetSupportedClocksThrottleReasons")}) {
    unsigned long long one = 0, other = 0;
    if (call(event, gpu_, &one) == NVML_SUCCESS && call(throttle, gpu_, &other) == NVML_SUCCESS)
      same(event, static_cast<double>(one), static_cast<double>(other), complaints);
  }
}

void Agreements::check_memory(Complaints& complaints) {
  const auto sum_up = [&](nvmlDevice_t device, nvmlMemory_v2_t& more) {
    nvmlMemory_t memory{};
    more = {version_tag<nvmlMemory_v2_t>, 0, 0, 0, 0};
    if (call("nvmlDeviceGetMemoryInfo", device, &memory) != NVML_SUCCESS ||
        call("nvmlDeviceGetMemoryInfo_v2", device, &more) != NVML_SUCCESS)
      complaints.push_back("no memory information of " + name_);
    same("used and free memory", static_cast<double>(memory.used + memory.free), static_cast<double>(memory.total),
         complaints);
    same("used, free and reserved memory", static_cast<double>(more.used + more.free + more.reserved),
         static_cast<double>(more.total), complaints);
    same("both totals of memory", static_cast<double>(memory.total), static_cast<double>(more.total), complaints);
    same("both free memories", static_cast<double>(memory.free), static_cast<double>(more.free), complaints);
  };
  nvmlMemory_v2_t whole{};
  sum_up(gpu_, whole);
  unsigned long long total = 0, used = 0;
  const bool first = idle_memory_.empty();
  for (std::size_t i = 0; i < mig_devices_.size(); ++i) {
    nvmlMemory_v2_t part{};
    sum_up(mig_devices_[i], part);
    total += part.total;
    used += part.used;
    unsigned int count = 8;
    nvmlProcessInfo_t processes[8];
    if (call("nvmlDeviceGetComputeRunningProcesses_v3", mig_devices_[i], &count, +processes) != NVML_SUCCESS)
      complaints.push_back("no processes of a MIG device of " + name_);
    auto idle = part.used;
    for (unsigned int p = 0; p < count; ++p) idle -= processes[p].usedGpuMemory;
    if (first) idle_memory_.push_back(idle);
    same("memory that no process holds", static_cast<double>(idle), static_cast<double>(idle_memory_[i]), complaints);
  }
  if (mig_devices_.empty()) return;
  same("memory that MIG devices use", static_cast<double>(used), static_cast<double>(whole.used), complaints);
  if (total > whole.total) complaints.push_back("MIG devices of " + name_ + " have more memory than it has");
  nvmlBAR1Memory_t bar1{};
  if (call("nvmlDeviceGetBAR1MemoryInfo", gpu_, &bar1) == NVML_SUCCESS)
    same("BAR1 memory", static_cast<double>(bar1.bar1Used + bar1.bar1Free), static_cast<double>(bar1.bar1Total),
         complaints);
}

}  // namespace nvmlkit::driver_test
