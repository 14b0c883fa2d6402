// The MIG devices of a GPU, as a log lists them.
#pragma once

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// Empty where the log shows none.
Expected<std::vector<MigDevice>> read_mig_devices(const Log& log, const Node& gpu, Leftovers& leftovers);

// Memory in MiB that the processes of each GPU instance hold.
std::map<std::uint32_t, std::uint64_t> process_memory(const Log& log, const Node& gpu);

}  // namespace nvmlkit::smi_log
