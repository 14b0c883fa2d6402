// The parts of a log that are lists: processes, supported clocks, retired pages, cliques of a fabric.
#pragma once

#include <optional>

#include "smi_log/values.hpp"

namespace nvmlkit::smi_log {

// True when `path` is such a part, which is then read.
bool read_list(const Log& log, std::string_view path, const Node& node, Values& values, Leftovers& leftovers);

// A process in the list of a GPU: the nodes of the log that tell of it.
struct ProcessNodes {
  const Node *pid, *type, *name, *used;                         // null: not shown
  std::optional<std::uint32_t> gpu_instance, compute_instance;  // of a GPU in MIG mode
};
std::vector<ProcessNodes> processes_of(const Log& log, const Node& list);

}  // namespace nvmlkit::smi_log
