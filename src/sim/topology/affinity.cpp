#include "sim/topology/affinity.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "sim/state/machine.hpp"
#include "sim/topology/distance.hpp"

namespace nvmlkit::sim::topology {
namespace {

// A list of this host's system files: nothing is allocated, so that any getter may read it.
CpuSet read_list(const char* path) {
  char text[1024];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const auto size = read(file, text, sizeof text);
  close(file);
  return size > 0 ? parse_list({text, static_cast<std::size_t>(size)}) : CpuSet();
}

CpuSet cpus_of_host() {
  auto out = read_list("/sys/devices/system/cpu/online");
  if (out.any()) return out;
  const auto count = static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  for (std::size_t cpu = 0; cpu < count && cpu < kMaxCpus; ++cpu) out.set(cpu);
  return out;
}

NodeSet nodes_of_host() {
  auto out = read_list("/sys/devices/system/node/online");
  if (out.none()) out.set(0);
  return out;
}

CpuSet cpus_of(const Machine& machine, const model::RootComplex& complex) {
  if (complex.cpu_affinity) return parse_list(complex.cpu_affinity->view());
  const auto& each = machine.host().pcie_topology.cores_per_numa;
  CpuSet out;
  if (!each || !complex.numa_node) return out;
  const auto first = std::size_t{*complex.numa_node} * *each;
  for (std::size_t cpu = first; cpu < first + *each && cpu < kMaxCpus; ++cpu) out.set(cpu);
  return out;
}

// Calls `each` for the root complexes that count as near.
template <class Each>
void for_near(const Machine& machine, const model::Gpu& gpu, Scope scope, Each each) {
  const auto* own = gpu.pci.bus_id ? root_complex_of(machine, *gpu.pci.bus_id) : nullptr;
  if (!own) return;
  each(*own);
  if (scope == Scope::node || !own->socket) return;
  for (const auto& complex : machine.host().pcie_topology.root_complexes)
    if (complex.socket && *complex.socket == *own->socket) each(complex);
}

}  // namespace

CpuSet parse_list(std::string_view list) {
  CpuSet out;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    std::size_t first = 0;
    auto [next, problem] = std::from_chars(at, end, first);
    if (problem != std::errc()) break;
    std::size_t last = first;
    if (next < end && *next == '-') {
      const auto range = std::from_chars(next + 1, end, last);
      if (range.ec != std::errc()) break;
      next = range.ptr;
    }
    for (auto cpu = first; cpu <= last && cpu < kMaxCpus; ++cpu) out.set(cpu);
    at = next < end && *next == ',' ? next + 1 : end;
  }
  return out;
}

CpuSet stated_cpus(const Machine& machine, const model::Gpu& gpu, Scope scope) {
  CpuSet out;
  for_near(machine, gpu, scope, [&](const model::RootComplex& complex) { out |= cpus_of(machine, complex); });
  return out;
}

CpuSet cpus_near(const Machine& machine, const model::Gpu& gpu, Scope scope) {
  const auto out = stated_cpus(machine, gpu, scope);
  return out.any() ? out : cpus_of_host();
}

NodeSet nodes_near(const Machine& machine, const model::Gpu& gpu, Scope scope) {
  NodeSet out;
  for_near(machine, gpu, scope, [&](const model::RootComplex& complex) {
    if (complex.numa_node && *complex.numa_node < kMaxCpus) out.set(*complex.numa_node);
  });
  return out.any() ? out : nodes_of_host();
}

}  // namespace nvmlkit::sim::topology
