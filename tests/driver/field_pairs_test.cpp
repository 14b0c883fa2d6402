// Field ids and functions that return the same thing agree: the result and the value, on every built-in machine.
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "links_support.hpp"
#include "sim/config/builtin.hpp"

namespace nvmlkit::driver_test {
namespace {

struct Answer {
  nvmlReturn_t result;
  unsigned long long value;

  bool operator==(const Answer& other) const {
    return result == other.result && (result != NVML_SUCCESS || value == other.value);
  }
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return answer.result == NVML_SUCCESS ? out << answer.value : out << "error " << answer.result;
}

class FieldPairs : public Links {
 public:
  // A function with outputs of one type, of which number Pick is wanted.
  template <class Out, unsigned Pick = 0, unsigned Outs = 1, class... In>
  static Answer ask(const char* name, nvmlDevice_t gpu, In... inputs) {
    Out out[Outs]{};
    const auto result = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return call(name, gpu, inputs..., &out[I]...);
    }
    (std::make_index_sequence<Outs>());
    return {result, static_cast<unsigned long long>(out[Pick])};
  }

  template <class... In>
  static nvmlReturn_t result_of(const char* name, nvmlDevice_t gpu, In... inputs) {
    return call(name, gpu, inputs...);
  }

  Answer field_of(unsigned int id, unsigned int scope) {
    const auto value = field(id, scope);
    const bool wide = value.valueType == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
    return {value.nvmlReturn, wide ? value.value.ullVal : value.value.uiVal};
  }

  // Of a location that no built-in machine counts errors at.
  void count_texture_errors() {
    const sim::state::Lock lock(*outside_);
    sim::transaction::Edit edit(lock, 0);
    for (auto* errors : {&edit->ecc.errors.volatile_, &edit->ecc.errors.aggregate})
      for (auto* at : {&errors->single_bit, &errors->double_bit}) at->texture_memory = 2;
    edit.commit();
  }

  void expect_pairs(const std::string& where);

  std::map<int, int> compared_;  // values by field id
};

using Device = nvmlDevice_t;
using Number = unsigned int;
using Count = unsigned long long;

template <unsigned Pick>
Answer ecc_mode(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<nvmlEnableState_t, Pick, 2>("nvmlDeviceGetEccMode", gpu);
}
Answer errors(Device gpu, Number type, Number period, Number) {
  return FieldPairs::ask<Count>("nvmlDeviceGetTotalEccErrors", gpu, type, period);
}
Answer errors_at(Device gpu, Number type, Number period, Number location) {
  return FieldPairs::ask<Count>("nvmlDeviceGetMemoryErrorCounter", gpu, type, period, location);
}
Answer retired_pages(Device gpu, Number cause, Number, Number) {
  Number count = 0;
  auto* const none = static_cast<unsigned long long*>(nullptr);
  const auto result = FieldPairs::result_of("nvmlDeviceGetRetiredPages", gpu, cause, &count, none);
  return {result == NVML_ERROR_INSUFFICIENT_SIZE ? NVML_SUCCESS : result, count};
}
Answer pages_pending(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<nvmlEnableState_t>("nvmlDeviceGetRetiredPagesPendingStatus", gpu);
}
template <unsigned Pick>
Answer rows(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Number, Pick, 4>("nvmlDeviceGetRemappedRows", gpu);
}
template <unsigned int nvmlRemappedRowsInfo_v2_t::*Member>
Answer rows_v2(Device gpu, Number, Number, Number) {
  nvmlRemappedRowsInfo_v2_t info{};
  const auto result = FieldPairs::result_of("nvmlDeviceGetRemappedRows_v2", gpu, &info);
  return {result, info.*Member};
}
Answer link_errors(Device gpu, Number link, Number counter, Number) {
  return FieldPairs::ask<Count>("nvmlDeviceGetNvLinkErrorCounter", gpu, link, counter);
}
Answer link_state(Device gpu, Number link, Number, Number) {
  return FieldPairs::ask<nvmlEnableState_t>("nvmlDeviceGetNvLinkState", gpu, link);
}
Answer link_version(Device gpu, Number link, Number, Number) {
  return FieldPairs::ask<Number>("nvmlDeviceGetNvLinkVersion", gpu, link);
}
Answer violation(Device gpu, Number policy, Number, Number) {
  nvmlViolationTime_t time{};
  const auto result = FieldPairs::result_of("nvmlDeviceGetViolationStatus", gpu, policy, &time);
  return {result, time.violationTime};
}
Answer energy(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Count>("nvmlDeviceGetTotalEnergyConsumption", gpu);
}
Answer replays(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Number>("nvmlDeviceGetPcieReplayCounter", gpu);
}
template <unsigned Pick>
Answer limits(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Number, Pick, 2>("nvmlDeviceGetPowerManagementLimitConstraints", gpu);
}
Answer default_limit(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Number>("nvmlDeviceGetPowerManagementDefaultLimit", gpu);
}
Answer enforced_limit(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Number>("nvmlDeviceGetEnforcedPowerLimit", gpu);
}
Answer limit(Device gpu, Number, Number, Number) {
  return FieldPairs::ask<Number>("nvmlDeviceGetPowerManagementLimit", gpu);
}
Answer power(Device gpu, Number, Number, Number) { return FieldPairs::ask<Number>("nvmlDeviceGetPowerUsage", gpu); }

constexpr Number kCorrected = NVML_MEMORY_ERROR_TYPE_CORRECTED, kUncorrected = NVML_MEMORY_ERROR_TYPE_UNCORRECTED;
constexpr Number kVolatile = NVML_VOLATILE_ECC, kAggregate = NVML_AGGREGATE_ECC;
constexpr Number kL1 = NVML_MEMORY_LOCATION_L1_CACHE, kL2 = NVML_MEMORY_LOCATION_L2_CACHE,
                 kDram = NVML_MEMORY_LOCATION_DRAM, kRegisters = NVML_MEMORY_LOCATION_REGISTER_FILE,
                 kTextures = NVML_MEMORY_LOCATION_TEXTURE_MEMORY, kCbu = NVML_MEMORY_LOCATION_CBU;

struct Pair {
  int id;
  Answer (*ask)(Device, Number, Number, Number);
  Number a = 0, b = 0, c = 0;
};
constexpr Pair kPairs[] = {
    {FI_DEV_ECC_CURRENT, ecc_mode<0>},
    {FI_DEV_ECC_PENDING, ecc_mode<1>},
    {FI_DEV_ECC_SBE_VOL_TOTAL, errors, kCorrected, kVolatile},
    {FI_DEV_ECC_DBE_VOL_TOTAL, errors, kUncorrected, kVolatile},
    {FI_DEV_ECC_SBE_VOL_L1, errors_at, kCorrected, kVolatile, kL1},
    {FI_DEV_ECC_DBE_VOL_L1, errors_at, kUncorrected, kVolatile, kL1},
    {FI_DEV_ECC_SBE_VOL_L2, errors_at, kCorrected, kVolatile, kL2},
    {FI_DEV_ECC_DBE_VOL_L2, errors_at, kUncorrected, kVolatile, kL2},
    {FI_DEV_ECC_SBE_VOL_DEV, errors_at, kCorrected, kVolatile, kDram},
    {FI_DEV_ECC_DBE_VOL_DEV, errors_at, kUncorrected, kVolatile, kDram},
    {FI_DEV_ECC_SBE_VOL_REG, errors_at, kCorrected, kVolatile, kRegisters},
    {FI_DEV_ECC_DBE_VOL_REG, errors_at, kUncorrected, kVolatile, kRegisters},
    {FI_DEV_ECC_SBE_VOL_TEX, errors_at, kCorrected, kVolatile, kTextures},
    {FI_DEV_ECC_DBE_VOL_TEX, errors_at, kUncorrected, kVolatile, kTextures},
    {FI_DEV_ECC_DBE_VOL_CBU, errors_at, kUncorrected, kVolatile, kCbu},
    {FI_DEV_ECC_SBE_AGG_TOTAL, errors, kCorrected, kAggregate},
    {FI_DEV_ECC_DBE_AGG_TOTAL, errors, kUncorrected, kAggregate},
    {FI_DEV_ECC_SBE_AGG_L1, errors_at, kCorrected, kAggregate, kL1},
    {FI_DEV_ECC_DBE_AGG_L1, errors_at, kUncorrected, kAggregate, kL1},
    {FI_DEV_ECC_SBE_AGG_L2, errors_at, kCorrected, kAggregate, kL2},
    {FI_DEV_ECC_DBE_AGG_L2, errors_at, kUncorrected, kAggregate, kL2},
    {FI_DEV_ECC_SBE_AGG_DEV, errors_at, kCorrected, kAggregate, kDram},
    {FI_DEV_ECC_DBE_AGG_DEV, errors_at, kUncorrected, kAggregate, kDram},
    {FI_DEV_ECC_SBE_AGG_REG, errors_at, kCorrected, kAggregate, kRegisters},
    {FI_DEV_ECC_DBE_AGG_REG, errors_at, kUncorrected, kAggregate, kRegisters},
    {FI_DEV_ECC_SBE_AGG_TEX, errors_at, kCorrected, kAggregate, kTextures},
    {FI_DEV_ECC_DBE_AGG_TEX, errors_at, kUncorrected, kAggregate, kTextures},
    {FI_DEV_ECC_DBE_AGG_CBU, errors_at, kUncorrected, kAggregate, kCbu},
    {FI_DEV_RETIRED_SBE, retired_pages, NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS},
    {FI_DEV_RETIRED_DBE, retired_pages, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR},
    {FI_DEV_RETIRED_PENDING, pages_pending},
    {FI_DEV_REMAPPED_COR, rows<0>},
    {FI_DEV_REMAPPED_UNC, rows<1>},
    {FI_DEV_REMAPPED_PENDING, rows<2>},
    {FI_DEV_REMAPPED_FAILURE, rows<3>},
    {FI_DEV_REMAPPED_COR, rows_v2<&nvmlRemappedRowsInfo_v2_t::corrActiveRemaps>},
    {FI_DEV_REMAPPED_UNC, rows_v2<&nvmlRemappedRowsInfo_v2_t::uncActiveRemaps>},
    {FI_DEV_REMAPPED_PENDING, rows_v2<&nvmlRemappedRowsInfo_v2_t::bPending>},
    {FI_DEV_REMAPPED_FAILURE, rows_v2<&nvmlRemappedRowsInfo_v2_t::bFailureOccurred>},
    {FI_DEV_REMAPPED_ROWS_COR_INACTIVE, rows_v2<&nvmlRemappedRowsInfo_v2_t::corrInactiveRemaps>},
    {FI_DEV_REMAPPED_ROWS_UNC_INACTIVE, rows_v2<&nvmlRemappedRowsInfo_v2_t::uncInactiveRemaps>},
    {FI_DEV_PERF_POLICY_POWER, violation, NVML_PERF_POLICY_POWER},
    {FI_DEV_PERF_POLICY_THERMAL, violation, NVML_PERF_POLICY_THERMAL},
    {FI_DEV_PERF_POLICY_SYNC_BOOST, violation, NVML_PERF_POLICY_SYNC_BOOST},
    {FI_DEV_PERF_POLICY_BOARD_LIMIT, violation, NVML_PERF_POLICY_BOARD_LIMIT},
    {FI_DEV_PERF_POLICY_LOW_UTILIZATION, violation, NVML_PERF_POLICY_LOW_UTILIZATION},
    {FI_DEV_PERF_POLICY_RELIABILITY, violation, NVML_PERF_POLICY_RELIABILITY},
    {FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS, violation, NVML_PERF_POLICY_TOTAL_APP_CLOCKS},
    {FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS, violation, NVML_PERF_POLICY_TOTAL_BASE_CLOCKS},
    {FI_DEV_TOTAL_ENERGY_CONSUMPTION, energy},
    {FI_DEV_ENERGY, energy},
    {FI_DEV_PCIE_REPLAY_COUNTER, replays},
    {FI_DEV_POWER_MIN_LIMIT, limits<0>},
    {FI_DEV_POWER_MAX_LIMIT, limits<1>},
    {FI_DEV_POWER_DEFAULT_LIMIT, default_limit},
    {FI_DEV_POWER_CURRENT_LIMIT, enforced_limit},
    {FI_DEV_POWER_REQUESTED_LIMIT, limit},
};

// Ids of a link: its scope, or one id for each of the links 0 to 5 and 6 to 11.
struct LinkPair {
  int scoped, first, sixth;
  Answer (*ask)(Device, Number, Number, Number);
  Number b = 0;
};
constexpr LinkPair kLinkPairs[] = {
    {FI_DEV_NVLINK_GET_STATE, 0, 0, link_state},
    {FI_DEV_NVLINK_GET_VERSION, 0, 0, link_version},
    {FI_DEV_NVLINK_ERROR_DL_REPLAY, FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L0, FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L6,
     link_errors, NVML_NVLINK_ERROR_DL_REPLAY},
    {FI_DEV_NVLINK_ERROR_DL_RECOVERY, FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L0, FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L6,
     link_errors, NVML_NVLINK_ERROR_DL_RECOVERY},
    {FI_DEV_NVLINK_ERROR_DL_CRC, FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L0, FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L6,
     link_errors, NVML_NVLINK_ERROR_DL_CRC_FLIT},
    {0, FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L0, FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L6, link_errors,
     NVML_NVLINK_ERROR_DL_CRC_DATA},
    {0, FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_L0, FI_DEV_NVLINK_ECC_DATA_ERROR_COUNT_L6, link_errors,
     NVML_NVLINK_ERROR_DL_ECC_DATA},
};

void FieldPairs::expect_pairs(const std::string& where) {
  const auto gpu = device();
  const auto expect = [&](int id, unsigned int scope, const Answer& answer) {
    EXPECT_EQ(field_of(static_cast<unsigned int>(id), scope), answer) << "field " << id << " of " << where;
    compared_[id] += answer.result == NVML_SUCCESS ? 1 : 0;
  };
  unsigned int architecture = 0;
  call("nvmlDeviceGetArchitecture", gpu, &architecture);
  for (const auto& pair : kPairs) {
    const bool of_dram = pair.ask == errors_at && pair.c == kDram;
    if (of_dram && architecture == DEVICE_ARCH_HOPPER) continue;  // told by the function alone
    expect(pair.id, 0, pair.ask(gpu, pair.a, pair.b, pair.c));
  }
  for (const auto& pair : kLinkPairs)
    for (unsigned int link = 0; link < NVLINK_MAX_LINKS; ++link) {
      const auto answer = pair.ask(gpu, link, pair.b, 0);
      if (pair.scoped != 0) expect(pair.scoped, link, answer);
      if (pair.first != 0 && link < 12)
        expect(link < 6 ? pair.first + static_cast<int>(link) : pair.sixth + static_cast<int>(link) - 6, 0, answer);
    }
  // Power usage is the average where the GPU has one; else it is the draw of the instant on some GPUs.
  if (field_of(FI_DEV_POWER_AVERAGE, 0).result == NVML_SUCCESS) expect(FI_DEV_POWER_AVERAGE, 0, power(gpu, 0, 0, 0));
}

// The newest driver knows all ids. Each machine as it is, with ECC and links that err, and in MIG mode.
TEST_F(FieldPairs, AgreeOnEveryMachine) {
  for (const auto& builtin : sim::list_builtin_machines()) {
    const std::string name(builtin.name);
    start_shared(name, "1");
    outside_->system().driver_version = std::string_view("610.57.04");
    start_library();
    stop_time();
    expect_pairs(name);
    const auto try_to = [&](const char* fault) {
      static_cast<void>(sim::steering::inject(*outside_, words(std::string("gpu=0 ") + fault)));
    };
    for (const char* fault : {"ecc l1 corrected --count 3", "ecc l2 uncorrected", "ecc texture corrected",
                              "ecc cbu uncorrected", "ecc dram uncorrected", "nvlink 1 errors", "nvlink 2 down"})
      try_to(fault);
    count_texture_errors();
    load(60);
    advance(30);
    expect_pairs(name + " with errors");
    nvmlReturn_t activation{};
    if (call("nvmlDeviceSetMigMode", device(), 1U, &activation) == NVML_SUCCESS) expect_pairs(name + " in MIG mode");
    call("nvmlShutdown");
    started_ = false;
  }
  // Each pair has a value on some machine.
  for (const auto& pair : kPairs) EXPECT_GT(compared_[pair.id], 0) << pair.id;
  for (const auto& pair : kLinkPairs) EXPECT_GT(compared_[pair.scoped != 0 ? pair.scoped : pair.first], 0);
  EXPECT_GT(compared_[FI_DEV_POWER_AVERAGE], 0);
}

}  // namespace
}  // namespace nvmlkit::driver_test
