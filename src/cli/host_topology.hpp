// The machine's network adapters for programs that look at the host with hwloc, as nvidia-smi topo -m of drivers 550
// and 555 does: hwloc reads the file that HWLOC_XMLFILE names in place of /sys.
#pragma once

#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// hwloc's XML of this host's CPUs with the machine's GPUs and network adapters; empty where the machine has no
// adapters.
std::string hwloc_topology(const sim::Machine& machine);

// Writes that file for as long as this lives, and names it to the programs that this process starts; does nothing where
// the machine has no adapters, or the environment names a file already.
class HostTopology {
 public:
  HostTopology(const std::string& state, const std::string& path);
  ~HostTopology();
  explicit operator bool() const { return !path_.empty(); }  // there is such a file
  void remove();                                             // before this process ends by a signal
  HostTopology(const HostTopology&) = delete;
  HostTopology& operator=(const HostTopology&) = delete;

 private:
  std::string path_;
};

}  // namespace nvmlkit::cli
