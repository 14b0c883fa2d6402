// From MIG devices and profiles that were shown to profiles and instances of a machine file.
#pragma once

#include "smi_log/tables.hpp"
#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

void add_mig(const Tables& tables, MachineValues& machine);

}  // namespace nvmlkit::smi_log
