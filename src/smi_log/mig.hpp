// Makes profiles and instances of a machine file from the MIG devices and profiles of a log.
#pragma once

#include "smi_log/tables.hpp"
#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

void add_mig(const Tables& tables, MachineValues& machine);

}  // namespace nvmlkit::smi_log
