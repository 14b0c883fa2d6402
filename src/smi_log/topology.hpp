// `topo -m`, and its information about the PCIe tree and the NVLinks.
#pragma once

#include "smi_log/tables.hpp"

namespace nvmlkit::smi_log {

void add_topology(const Topology& topology, MachineValues& machine);

}  // namespace nvmlkit::smi_log
