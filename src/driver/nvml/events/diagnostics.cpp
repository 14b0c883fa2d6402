// Health data of a GPU for repairs.
#include <algorithm>
#include <cstring>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/events/cper.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t DeviceGetRepairStatus(const Machine&, const Gpu& gpu, nvmlRepairStatus_t* repairStatus) {
  if (const auto result = read(gpu.repair.channel_pending, &repairStatus->bChannelRepairPending);
      result != NVML_SUCCESS)
    return result;
  return read(gpu.repair.tpc_pending, &repairStatus->bTpcRepairPending);
}

nvmlReturn_t DeviceGetClkMonStatus(const Machine&, const Gpu& gpu, nvmlClkMonStatus_t* status) {
  if (!gpu.clock_monitor.supported.value_or(false)) return NVML_ERROR_NOT_SUPPORTED;
  const auto faults = gpu.clock_monitor.faults.span();
  status->bGlobalStatus = faults.empty() ? 0 : 1;
  status->clkMonListSize = static_cast<unsigned int>(faults.size());
  for (std::size_t i = 0; i < faults.size(); ++i)
    status->clkMonList[i] = {faults[i].domain.value_or(0), faults[i].mask.value_or(0)};
  return NVML_SUCCESS;
}

// A record for each Xid that the machine remembers. The cursor's handle counts the machine's events.
nvmlReturn_t SystemGetCPER_v1(const Machine& machine, nvmlGetCPER_v1_t* cper) {
  if (!is_privileged(machine)) return NVML_ERROR_NO_PERMISSION;
  const bool asks_for_size = cper->buffer == nullptr && cper->bufferSize == 0;
  if (cper->buffer == nullptr && !asks_for_size) return NVML_ERROR_INVALID_ARGUMENT;
  auto& cursor = cper->cursor;
  const std::string_view uuid(cursor.uuid, strnlen(cursor.uuid, sizeof cursor.uuid));
  std::uint64_t next = cursor.handle;
  unsigned int size = 0;
  bool more = false;
  if ((cursor.cperTypeMask & NVML_CPER_ACCESS_TYPE_GPU) != 0) {
    cper::Record record;
    for (auto at = next; cper::next_record(machine, at, uuid, record); next = at) {
      more = !asks_for_size && size + sizeof record > cper->bufferSize;
      if (more) break;
      if (!asks_for_size) std::memcpy(cper->buffer + size, &record, sizeof record);
      size += sizeof record;
    }
  }
  if (asks_for_size) {
    cper->bufferSize = size;
    return size == 0 ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
  }
  if (more && size == 0) {
    cper->bufferSize = sizeof(cper::Record);
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  cper->bufferSize = size;
  cursor.handle = next;
  return NVML_SUCCESS;
}

// Every entry has its own result. No GPU has a port whose counters NVIDIA explains.
nvmlReturn_t DeviceReadPRMCounters_v1(const Machine&, const Gpu& gpu, nvmlPRMCounterList_v1_t* counterList) {
  if (!sim::is_from(gpu, sim::model::Architecture::blackwell)) return NVML_ERROR_NOT_SUPPORTED;
  if (counterList->numCounters == 0 || counterList->counters == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned int i = 0; i < counterList->numCounters; ++i)
    counterList->counters[i].counterValue.status = NVML_ERROR_NOT_SUPPORTED;
  return NVML_SUCCESS;
}

}  // namespace nvmlkit::driver::functions
