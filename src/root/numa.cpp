#include "root/numa.hpp"

#include <fmt/format.h>

#include "sim/topology/distance.hpp"

namespace nvmlkit::root {

using sim::topology::CpuSet;

Near near(const sim::Machine& machine, const sim::model::Gpu& gpu) {
  using sim::topology::Scope;
  Near out{.cpus = sim::topology::cpus_near(machine, gpu, Scope::node), .node = -1};
  const auto nodes = sim::topology::nodes_near(machine, gpu, Scope::node);
  if (nodes.count() == 1) out.node = static_cast<int>(nodes._Find_first());
  return out;
}

Near near(const sim::Machine& machine, const sim::model::PciBusId& id) {
  Near out;
  const auto* complex = sim::topology::root_complex_of(machine, id);
  if (complex && complex->cpu_affinity) out.cpus = sim::topology::parse_list(complex->cpu_affinity->view());
  if (complex && complex->numa_node) out.node = static_cast<int>(*complex->numa_node);
  return out;
}

std::string list_of(const CpuSet& cpus) {
  std::string out;
  for (std::size_t first = 0; first < cpus.size(); ++first) {
    if (!cpus[first]) continue;
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1]) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", first);
    if (last != first) out += fmt::format("-{}", last);
    first = last;
  }
  return out;
}

std::string mask_of(const CpuSet& cpus) {
  std::string out;
  for (std::size_t word = cpus.size() / 32; word-- > 0;) {
    std::uint32_t bits = 0;
    for (std::size_t bit = 0; bit < 32; ++bit) bits |= std::uint32_t{cpus[word * 32 + bit]} << bit;
    if (!out.empty())
      out += fmt::format(",{:08x}", bits);
    else if (bits != 0 || word == 0)
      out = fmt::format("{:08x}", bits);
  }
  return out;
}

}  // namespace nvmlkit::root
