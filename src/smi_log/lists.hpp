// The parts of a log that are lists: processes, supported clocks, retired pages, MIG devices.
#pragma once

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// True when `path` is such a part, which is then read.
bool read_list(const Log& log, std::string_view path, const Node& node, Values& values, Leftovers& leftovers);

}  // namespace nvmlkit::smi_log
