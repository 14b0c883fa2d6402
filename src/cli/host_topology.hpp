// The machine's network adapters for programs that look at the host with hwloc, as nvidia-smi topo -m of drivers 550
// and 555 does: hwloc reads the file that HWLOC_XMLFILE names in place of /sys.
#pragma once

#include <string>

#include "cli/state_files.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// hwloc's XML of this host's CPUs with the machine's GPUs and network adapters; empty where the machine has no
// adapters.
std::string hwloc_topology(const sim::Machine& machine);

// Writes that file for as long as this lives, and names it to the programs that this process starts; does nothing where
// the machine has no adapters, or the environment names a file already.
class HostTopology {
 public:
  // Of the machine of a state file.
  explicit HostTopology(const std::string& state);
  explicit operator bool() const { return static_cast<bool>(file_); }  // there is such a file
  void remove() { file_.remove(); }

 private:
  RunFile file_;
};

}  // namespace nvmlkit::cli
