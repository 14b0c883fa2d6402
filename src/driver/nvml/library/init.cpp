// Functions that work before nvmlInit.
#include <cstring>

#include "driver/nvml/call/call.hpp"
#include "driver/nvml/call/read.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "driver/nvml/library/error_string.hpp"
#include "driver/nvml/library/lifecycle.hpp"
#include "driver/nvml/private_table/table.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::driver::functions {

nvmlReturn_t Init() { return initialize(); }

nvmlReturn_t Init_v2() { return initialize(); }

nvmlReturn_t InitWithFlags(unsigned int flags) { return initialize(flags); }

nvmlReturn_t Shutdown() { return shut_down(); }

const char* ErrorString(nvmlReturn_t result) {
  const auto* machine = initialized_machine();
  const auto* version = machine ? &machine->system().driver_version : nullptr;
  const auto branch = version && *version ? sim::branch_number((*version)->view()) : built_for_branch;
  return error_string(static_cast<int>(result), branch);
}

nvmlReturn_t InternalGetExportTable(const void** table, const void* id) {
  if (!table || !id) return NVML_ERROR_INVALID_ARGUMENT;
  *table = private_table(id);
  return *table ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t SystemGetNVMLVersion(char* version, unsigned int length) {
  if (!version) return NVML_ERROR_INVALID_ARGUMENT;
  if (const auto* machine = initialized_machine()) return read(machine->system().nvml_version, version, length);
  // The version is the library's own and does not need a driver; ours comes with the machine.
  return with_future_machine([&](const Machine* machine) {
    return machine ? read(machine->system().nvml_version, version, length) : NVML_ERROR_UNKNOWN;
  });
}

}  // namespace nvmlkit::driver::functions
