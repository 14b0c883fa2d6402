// Makes a machine file from values: a built-in machine to start from, and the differences.
#pragma once

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// The file is one that the reader takes. Values that a machine cannot have are left out, each with a note in `machine`;
// a problem is what no machine file could say.
Expected<std::string> write_machine_file(MachineValues& machine);

}  // namespace nvmlkit::smi_log
