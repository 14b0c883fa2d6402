#include <algorithm>
#include <iterator>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver {

using namespace abi;

namespace {

using sim::model::Architecture;
using sim::model::EccLocations;
using sim::model::Gpu;

// A GPU counts errors only while ECC is on.
bool counts_errors(const Gpu& gpu) {
  return gpu.ecc.mode_current && static_cast<nvmlEnableState_t>(*gpu.ecc.mode_current) == NVML_FEATURE_ENABLED;
}

const EccLocations& counters(const Gpu& gpu, nvmlMemoryErrorType_t type, nvmlEccCounterType_t period) {
  const auto& errors = period == NVML_VOLATILE_ECC ? gpu.ecc.errors.volatile_ : gpu.ecc.errors.aggregate;
  return type == NVML_MEMORY_ERROR_TYPE_CORRECTED ? errors.single_bit : errors.double_bit;
}

unsigned long long sram(const EccLocations& c) {
  return c.sram.value_or(c.l1_cache.value_or(0) + c.l2_cache.value_or(0) + c.register_file.value_or(0));
}

// From Turing on the places are DRAM and SRAM; before, each memory has its own counter.
bool counts_dram_and_sram(const Gpu& gpu) {
  return gpu.architecture.value_or(Architecture::unknown) >= Architecture::turing;
}

nvmlReturn_t total_errors(const Gpu& gpu, nvmlMemoryErrorType_t type, nvmlEccCounterType_t period,
                          unsigned long long& count) {
  if (!counts_errors(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& c = counters(gpu, type, period);
  count = c.total.value_or(c.device_memory.value_or(0) + sram(c) + c.texture_memory.value_or(0) +
                           c.texture_shm.value_or(0) + c.cbu.value_or(0));
  return NVML_SUCCESS;
}

nvmlReturn_t errors_at(const Gpu& gpu, nvmlMemoryErrorType_t type, nvmlEccCounterType_t period,
                       nvmlMemoryLocation_t location, unsigned long long& count) {
  if (!counts_errors(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& c = counters(gpu, type, period);
  if (location == NVML_MEMORY_LOCATION_DRAM) return read(c.device_memory, &count);
  if (counts_dram_and_sram(gpu) != (location == NVML_MEMORY_LOCATION_SRAM)) return NVML_ERROR_NOT_SUPPORTED;
  switch (location) {
    case NVML_MEMORY_LOCATION_SRAM:
      if (!c.sram && c.sram.stated) return NVML_ERROR_NOT_SUPPORTED;
      count = sram(c);
      return NVML_SUCCESS;
    case NVML_MEMORY_LOCATION_L1_CACHE:
      return read(c.l1_cache, &count);
    case NVML_MEMORY_LOCATION_L2_CACHE:
      return read(c.l2_cache, &count);
    case NVML_MEMORY_LOCATION_REGISTER_FILE:
      return read(c.register_file, &count);
    case NVML_MEMORY_LOCATION_TEXTURE_MEMORY:
      return read(c.texture_memory, &count);
    case NVML_MEMORY_LOCATION_TEXTURE_SHM:
      return read(c.texture_shm, &count);
    default:
      return read(c.cbu, &count);
  }
}

constexpr auto kAllLocations = NVML_MEMORY_LOCATION_COUNT;

// Field ids of counters.
struct CounterId {
  int id;
  nvmlMemoryErrorType_t type;
  nvmlEccCounterType_t period;
  nvmlMemoryLocation_t location;
};
constexpr auto kCorrected = NVML_MEMORY_ERROR_TYPE_CORRECTED, kUncorrected = NVML_MEMORY_ERROR_TYPE_UNCORRECTED;
constexpr auto kVolatile = NVML_VOLATILE_ECC, kAggregate = NVML_AGGREGATE_ECC;
constexpr CounterId kCounterIds[] = {
    {FI_DEV_ECC_SBE_VOL_TOTAL, kCorrected, kVolatile, kAllLocations},
    {FI_DEV_ECC_DBE_VOL_TOTAL, kUncorrected, kVolatile, kAllLocations},
    {FI_DEV_ECC_SBE_VOL_L1, kCorrected, kVolatile, NVML_MEMORY_LOCATION_L1_CACHE},
    {FI_DEV_ECC_DBE_VOL_L1, kUncorrected, kVolatile, NVML_MEMORY_LOCATION_L1_CACHE},
    {FI_DEV_ECC_SBE_VOL_L2, kCorrected, kVolatile, NVML_MEMORY_LOCATION_L2_CACHE},
    {FI_DEV_ECC_DBE_VOL_L2, kUncorrected, kVolatile, NVML_MEMORY_LOCATION_L2_CACHE},
    {FI_DEV_ECC_SBE_VOL_DEV, kCorrected, kVolatile, NVML_MEMORY_LOCATION_DRAM},
    {FI_DEV_ECC_DBE_VOL_DEV, kUncorrected, kVolatile, NVML_MEMORY_LOCATION_DRAM},
    {FI_DEV_ECC_SBE_VOL_REG, kCorrected, kVolatile, NVML_MEMORY_LOCATION_REGISTER_FILE},
    {FI_DEV_ECC_DBE_VOL_REG, kUncorrected, kVolatile, NVML_MEMORY_LOCATION_REGISTER_FILE},
    {FI_DEV_ECC_SBE_VOL_TEX, kCorrected, kVolatile, NVML_MEMORY_LOCATION_TEXTURE_MEMORY},
    {FI_DEV_ECC_DBE_VOL_TEX, kUncorrected, kVolatile, NVML_MEMORY_LOCATION_TEXTURE_MEMORY},
    {FI_DEV_ECC_DBE_VOL_CBU, kUncorrected, kVolatile, NVML_MEMORY_LOCATION_CBU},
    {FI_DEV_ECC_SBE_AGG_TOTAL, kCorrected, kAggregate, kAllLocations},
    {FI_DEV_ECC_DBE_AGG_TOTAL, kUncorrected, kAggregate, kAllLocations},
    {FI_DEV_ECC_SBE_AGG_L1, kCorrected, kAggregate, NVML_MEMORY_LOCATION_L1_CACHE},
    {FI_DEV_ECC_DBE_AGG_L1, kUncorrected, kAggregate, NVML_MEMORY_LOCATION_L1_CACHE},
    {FI_DEV_ECC_SBE_AGG_L2, kCorrected, kAggregate, NVML_MEMORY_LOCATION_L2_CACHE},
    {FI_DEV_ECC_DBE_AGG_L2, kUncorrected, kAggregate, NVML_MEMORY_LOCATION_L2_CACHE},
    {FI_DEV_ECC_SBE_AGG_DEV, kCorrected, kAggregate, NVML_MEMORY_LOCATION_DRAM},
    {FI_DEV_ECC_DBE_AGG_DEV, kUncorrected, kAggregate, NVML_MEMORY_LOCATION_DRAM},
    {FI_DEV_ECC_SBE_AGG_REG, kCorrected, kAggregate, NVML_MEMORY_LOCATION_REGISTER_FILE},
    {FI_DEV_ECC_DBE_AGG_REG, kUncorrected, kAggregate, NVML_MEMORY_LOCATION_REGISTER_FILE},
    {FI_DEV_ECC_SBE_AGG_TEX, kCorrected, kAggregate, NVML_MEMORY_LOCATION_TEXTURE_MEMORY},
    {FI_DEV_ECC_DBE_AGG_TEX, kUncorrected, kAggregate, NVML_MEMORY_LOCATION_TEXTURE_MEMORY},
    {FI_DEV_ECC_DBE_AGG_CBU, kUncorrected, kAggregate, NVML_MEMORY_LOCATION_CBU},
};

}  // namespace

nvmlReturn_t ecc_counter(const Gpu& gpu, unsigned int id, unsigned int, nvmlFieldValue_t& out) {
  const auto* of = std::find_if(std::begin(kCounterIds), std::end(kCounterIds),
                                [&](const CounterId& known) { return known.id == static_cast<int>(id); });
  if (of == std::end(kCounterIds)) return NVML_ERROR_INVALID_ARGUMENT;
  // The places have no fields on an H100; functions tell the counters of its DRAM and SRAM.
  if (of->location == NVML_MEMORY_LOCATION_DRAM &&
      gpu.architecture.value_or(Architecture::unknown) == Architecture::hopper)
    return NVML_ERROR_NOT_SUPPORTED;
  unsigned long long count = 0;
  const auto result = of->location == kAllLocations ? total_errors(gpu, of->type, of->period, count)
                                                    : errors_at(gpu, of->type, of->period, of->location, count);
  return result == NVML_SUCCESS ? put_ullong(count, out) : result;
}

namespace functions {

nvmlReturn_t DeviceGetTotalEccErrors(const Machine&, const Gpu& gpu, nvmlMemoryErrorType_t errorType,
                                     nvmlEccCounterType_t counterType, unsigned long long* eccCounts) {
  return total_errors(gpu, errorType, counterType, *eccCounts);
}

nvmlReturn_t DeviceGetDetailedEccErrors(const Machine&, const Gpu& gpu, nvmlMemoryErrorType_t errorType,
                                        nvmlEccCounterType_t counterType, nvmlEccErrorCounts_t* eccCounts) {
  if (!counts_errors(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& c = counters(gpu, errorType, counterType);
  eccCounts->l1Cache = c.l1_cache.value_or(0);
  eccCounts->l2Cache = c.l2_cache.value_or(0);
  eccCounts->deviceMemory = c.device_memory.value_or(0);
  eccCounts->registerFile = c.register_file.value_or(0);
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetMemoryErrorCounter(const Machine&, const Gpu& gpu, nvmlMemoryErrorType_t errorType,
                                         nvmlEccCounterType_t counterType, nvmlMemoryLocation_t locationType,
                                         unsigned long long* count) {
  return errors_at(gpu, errorType, counterType, locationType, *count);
}

nvmlReturn_t DeviceGetSramEccErrorStatus(const Machine&, const Gpu& gpu, nvmlEccSramErrorStatus_t* status) {
  if (!counts_errors(gpu) || gpu.architecture.value_or(Architecture::unknown) < Architecture::ampere)
    return NVML_ERROR_NOT_SUPPORTED;
  const auto& s = gpu.ecc.sram;
  status->volatileCor = s.volatile_.correctable.value_or(0);
  status->volatileUncParity = s.volatile_.uncorrectable_parity.value_or(0);
  status->volatileUncSecDed = s.volatile_.uncorrectable_secded.value_or(0);
  status->aggregateCor = s.aggregate.correctable.value_or(0);
  status->aggregateUncParity = s.aggregate.uncorrectable_parity.value_or(0);
  status->aggregateUncSecDed = s.aggregate.uncorrectable_secded.value_or(0);
  status->aggregateUncBucketL2 = s.uncorrectable_sources.l2.value_or(0);
  status->aggregateUncBucketSm = s.uncorrectable_sources.sm.value_or(0);
  status->aggregateUncBucketPcie = s.uncorrectable_sources.pcie.value_or(0);
  status->aggregateUncBucketMcu = s.uncorrectable_sources.microcontroller.value_or(0);
  status->aggregateUncBucketOther = s.uncorrectable_sources.other.value_or(0);
  status->bThresholdExceeded = s.threshold_exceeded.value_or(false) ? 1 : 0;
  return NVML_SUCCESS;
}

// A list that is too short learns the right count.
nvmlReturn_t DeviceGetSramUniqueUncorrectedEccErrorCounts(const Machine&, const Gpu& gpu,
                                                          nvmlEccSramUniqueUncorrectedErrorCounts_t* errorCounts) {
  if (!counts_errors(gpu) || !sim::is_from(gpu, Architecture::blackwell)) return NVML_ERROR_NOT_SUPPORTED;
  return fill(gpu.ecc.sram.unique_errors.span(), &errorCounts->entryCount, errorCounts->entries,
              [](const sim::model::EccUniqueError& error) {
                return nvmlEccSramUniqueUncorrectedErrorEntry_v1_t{
                    error.unit.value_or(0),        error.location.value_or(0), error.sublocation.value_or(0),
                    error.extlocation.value_or(0), error.address.value_or(0),  error.parity.value_or(false) ? 1U : 0U,
                    error.count.value_or(1)};
              });
}

nvmlReturn_t DeviceGetDramEncryptionMode(const Machine&, const Gpu& gpu, nvmlDramEncryptionInfo_t* current,
                                         nvmlDramEncryptionInfo_t* pending) {
  if (const auto result = read(gpu.dram_encryption.current, &current->encryptionState); result != NVML_SUCCESS)
    return result;
  return read(gpu.dram_encryption.pending, &pending->encryptionState);
}

// It changes with the next reboot.
nvmlReturn_t DeviceSetDramEncryptionMode(const Machine&, Gpu& gpu, const nvmlDramEncryptionInfo_t* dramEncryption) {
  if (!gpu.dram_encryption.current) return NVML_ERROR_NOT_SUPPORTED;
  if (dramEncryption->encryptionState > NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  gpu.dram_encryption.pending = dramEncryption->encryptionState;
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
