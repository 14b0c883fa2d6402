// The CPUs and the memory near a GPU, and binding the calling thread to these CPUs.
#include <sched.h>

#include <cerrno>
#include <cstring>

#include "driver/nvml/call/access.hpp"
#include "driver/nvml/generated/functions.hpp"
#include "sim/topology/affinity.hpp"

namespace nvmlkit::driver::functions {
namespace {

using sim::topology::Scope;

// As much of the set as the caller has room for: words of `unsigned long`, the lowest numbers first.
template <class Set>
nvmlReturn_t write_set(const Set& set, unsigned int words, unsigned long* out) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  if (words == 0 || !out) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned int i = 0; i < words; ++i) {
    out[i] = 0;
    for (std::size_t bit = 0; bit < kBits && i * kBits + bit < set.size(); ++bit)
      out[i] |= static_cast<unsigned long>(set.test(i * kBits + bit)) << bit;
  }
  return NVML_SUCCESS;
}

bool read_scope(nvmlAffinityScope_t scope, Scope& out) {
  if (scope != AFFINITY_SCOPE_NODE && scope != AFFINITY_SCOPE_SOCKET) return false;
  out = scope == AFFINITY_SCOPE_NODE ? Scope::node : Scope::socket;
  return true;
}

}  // namespace

nvmlReturn_t DeviceGetCpuAffinity(const Machine& machine, const Gpu& gpu, unsigned int cpuSetSize,
                                  unsigned long* cpuSet) {
  return write_set(sim::topology::cpus_near(machine, gpu, Scope::node), cpuSetSize, cpuSet);
}

nvmlReturn_t DeviceGetCpuAffinityWithinScope(const Machine& machine, const Gpu& gpu, unsigned int cpuSetSize,
                                             unsigned long* cpuSet, nvmlAffinityScope_t scope) {
  Scope within{};
  if (!read_scope(scope, within)) return NVML_ERROR_INVALID_ARGUMENT;
  return write_set(sim::topology::cpus_near(machine, gpu, within), cpuSetSize, cpuSet);
}

nvmlReturn_t DeviceGetMemoryAffinity(const Machine& machine, const Gpu& gpu, unsigned int nodeSetSize,
                                     unsigned long* nodeSet, nvmlAffinityScope_t scope) {
  Scope within{};
  if (!read_scope(scope, within)) return NVML_ERROR_INVALID_ARGUMENT;
  return write_set(sim::topology::nodes_near(machine, gpu, within), nodeSetSize, nodeSet);
}

// Where all CPUs are equally near, or this host has none of those that are, the thread stays where it is.
nvmlReturn_t DeviceSetCpuAffinity(const Machine& machine, const Gpu& gpu) {
  cpu_set_t near;
  const auto result = consistent(machine, machine.sequence(), [&] {
    CPU_ZERO(&near);
    const auto cpus = sim::topology::stated_cpus(machine, gpu, Scope::node);
    for (std::size_t cpu = 0; cpu < cpus.size() && cpu < CPU_SETSIZE; ++cpu)
      if (cpus.test(cpu)) CPU_SET(cpu, &near);
    return NVML_SUCCESS;
  });
  if (result != NVML_SUCCESS || CPU_COUNT(&near) == 0) return result;
  return sched_setaffinity(0, sizeof near, &near) == 0 || errno == EINVAL ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

// The system takes of all numbers those of CPUs that there are and that the thread may use.
nvmlReturn_t DeviceClearCpuAffinity(const Machine&, const Gpu&) {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  return sched_setaffinity(0, sizeof all, &all) == 0 ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

}  // namespace nvmlkit::driver::functions
