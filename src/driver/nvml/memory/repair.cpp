// Retired pages (before Ampere) and remapped rows (from Ampere on).
#include <algorithm>

#include "driver/nvml/call/read.hpp"
#include "driver/nvml/field_values/field_values.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/mig/instances.hpp"

namespace nvmlkit::driver {

using namespace abi;

nvmlReturn_t retired_pages(const sim::model::Gpu& gpu, unsigned int id, unsigned int, nvmlFieldValue_t& out) {
  const auto& retired = gpu.retired_pages;
  if (!retired.supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  const auto count = [](const sim::model::PageRetirement& pages) {
    return std::max(pages.count.value_or(0), static_cast<std::uint32_t>(pages.addresses.span().size()));
  };
  const auto single = count(retired.single_bit_retirement), twice = count(retired.double_bit_retirement);
  const bool pending = retired.pending_retirement.value_or(false);
  out.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  switch (id) {
    case FI_DEV_RETIRED_SBE:
      out.value.uiVal = single;
      break;
    case FI_DEV_RETIRED_DBE:
      out.value.uiVal = twice;
      break;
    case FI_DEV_RETIRED_PENDING:
      out.value.uiVal = pending ? 1 : 0;
      break;
    case FI_DEV_RETIRED_PENDING_SBE:
      out.value.uiVal = pending && single > 0 ? 1 : 0;
      break;
    default:
      out.value.uiVal = pending && (twice > 0 || single == 0) ? 1 : 0;
  }
  return NVML_SUCCESS;
}

namespace {

nvmlReturn_t remapped_rows(const sim::model::Gpu& gpu, nvmlRemappedRowsInfo_v2_t& out) {
  const auto& rows = gpu.remapped_rows;
  if (!rows.correctable) return NVML_ERROR_NOT_SUPPORTED;
  out.corrActiveRemaps = *rows.correctable;
  out.corrInactiveRemaps = rows.correctable_inactive.value_or(0);
  out.uncActiveRemaps = rows.uncorrectable.value_or(0);
  out.uncInactiveRemaps = rows.uncorrectable_inactive.value_or(0);
  out.bPending = rows.pending.value_or(false) ? 1 : 0;
  out.bFailureOccurred = rows.failure_occurred.value_or(false) ? 1 : 0;
  return NVML_SUCCESS;
}

}  // namespace

// nvmlDeviceGetRemappedRows_v2 by field id, also with its result for a GPU in MIG mode.
nvmlReturn_t remapped_rows(const sim::model::Gpu& gpu, unsigned int id, unsigned int, nvmlFieldValue_t& out) {
  nvmlRemappedRowsInfo_v2_t rows{};
  if (sim::mig::enabled(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  if (const auto result = remapped_rows(gpu, rows); result != NVML_SUCCESS) return result;
  switch (id) {
    case FI_DEV_REMAPPED_COR:
      return put_uint(rows.corrActiveRemaps, out);
    case FI_DEV_REMAPPED_UNC:
      return put_uint(rows.uncActiveRemaps, out);
    case FI_DEV_REMAPPED_PENDING:
      return put_uint(rows.bPending, out);
    case FI_DEV_REMAPPED_FAILURE:
      return put_uint(rows.bFailureOccurred, out);
    case FI_DEV_REMAPPED_ROWS_COR_INACTIVE:
      return put_uint(rows.corrInactiveRemaps, out);
    default:
      return put_uint(rows.uncInactiveRemaps, out);
  }
}

// nvmlDeviceGetBankRemapperStatus_v1 by field id.
nvmlReturn_t bank_remapper(const sim::model::Gpu& gpu, unsigned int id, unsigned int, nvmlFieldValue_t& out) {
  const auto& banks = gpu.bank_remapper;
  if (!banks.active) return NVML_ERROR_NOT_SUPPORTED;
  switch (id) {
    case FI_DEV_INACTIVE_BANK_REMAPPINGS:
      return put_uint(banks.inactive.value_or(0), out);
    case FI_DEV_BANK_REMAPPER_HISTOGRAM_MAX:
      return put_uint(banks.histogram.max_spare.value_or(0), out);
    case FI_DEV_BANK_REMAPPER_HISTOGRAM_NONE:
      return put_uint(banks.histogram.no_spare.value_or(0), out);
    default:
      return put_uint(banks.pending.value_or(false) ? 1U : 0U, out);
  }
}

namespace functions {

nvmlReturn_t DeviceGetRetiredPages_v2(const Machine&, const Gpu& gpu, nvmlPageRetirementCause_t cause,
                                      unsigned int* pageCount, unsigned long long* addresses,
                                      unsigned long long* timestamps) {
  const auto& retired = gpu.retired_pages;
  if (!retired.supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  const auto& pages = cause == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR ? retired.double_bit_retirement
                                                                               : retired.single_bit_retirement;
  // A count without addresses: the caller did not request the addresses.
  const auto listed = pages.addresses.span();
  const auto needed = std::max(pages.count.value_or(0), static_cast<std::uint32_t>(listed.size()));
  const auto room = *pageCount;
  *pageCount = needed;
  if (needed == 0) return NVML_SUCCESS;
  if (room < needed) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (!addresses) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < needed; ++i) {
    addresses[i] = i < listed.size() ? listed[i] : 0;
    if (timestamps) timestamps[i] = 0;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetRetiredPages(const Machine& machine, const Gpu& gpu, nvmlPageRetirementCause_t cause,
                                   unsigned int* pageCount, unsigned long long* addresses) {
  return DeviceGetRetiredPages_v2(machine, gpu, cause, pageCount, addresses, nullptr);
}

nvmlReturn_t DeviceGetRetiredPagesPendingStatus(const Machine&, const Gpu& gpu, nvmlEnableState_t* isPending) {
  if (!gpu.retired_pages.supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  *isPending = gpu.retired_pages.pending_retirement.value_or(false) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

nvmlReturn_t DeviceGetRemappedRows_v2(const Machine&, const Gpu& gpu, nvmlRemappedRowsInfo_v2_t* info) {
  return remapped_rows(gpu, *info);
}

nvmlReturn_t DeviceGetBankRemapperStatus_v1(const Machine&, const Gpu& gpu,
                                            nvmlEccBankRemapperStatus_v1_t* pBankRemapperStatus) {
  const auto& banks = gpu.bank_remapper;
  if (!banks.active) return NVML_ERROR_NOT_SUPPORTED;
  *pBankRemapperStatus = {*banks.active,
                          banks.inactive.value_or(0),
                          banks.pending.value_or(false) ? 1U : 0U,
                          {banks.histogram.max_spare.value_or(0), banks.histogram.no_spare.value_or(0)}};
  return NVML_SUCCESS;
}

}  // namespace functions
}  // namespace nvmlkit::driver
