// Binding the calling thread to the CPUs near a GPU. The machine file names CPUs of the simulated host; of those only
// what this host has, and lets the thread use, counts.
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "driver/nvml/access.hpp"
#include "driver/nvml/generated/functions.hpp"

namespace nvmlkit::driver::functions {
namespace {

// "0-15,32-47". What is no number ends the list.
cpu_set_t parse_cpus(std::string_view list) {
  cpu_set_t out;
  CPU_ZERO(&out);
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    unsigned int first = 0;
    auto [next, problem] = std::from_chars(at, end, first);
    if (problem != std::errc()) break;
    unsigned int last = first;
    if (next < end && *next == '-') {
      const auto range = std::from_chars(next + 1, end, last);
      if (range.ec != std::errc()) break;
      next = range.ptr;
    }
    for (unsigned int cpu = first; cpu <= last && cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &out);
    at = next < end && *next == ',' ? next + 1 : end;
  }
  return out;
}

// The CPUs that the machine file names for the GPU. False where it names none.
bool find_cpus(const Machine& machine, const Gpu& gpu, cpu_set_t& cpus) {
  if (!gpu.pci.bus_id) return false;
  for (const auto& complex : machine.host().pcie_topology.root_complexes) {
    const auto devices = complex.devices.span();
    if (!complex.cpu_affinity || std::find(devices.begin(), devices.end(), *gpu.pci.bus_id) == devices.end()) continue;
    cpus = parse_cpus(complex.cpu_affinity->view());
    return CPU_COUNT(&cpus) > 0;
  }
  return false;
}

}  // namespace

// Where all CPUs are equally near, or this host has none of those that are, the thread stays where it is.
nvmlReturn_t DeviceSetCpuAffinity(const Machine& machine, const Gpu& gpu) {
  cpu_set_t near;
  const auto result = consistent(machine, machine.sequence(),
                                 [&] { return find_cpus(machine, gpu, near) ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND; });
  if (result == NVML_ERROR_NOT_FOUND) return NVML_SUCCESS;
  if (result != NVML_SUCCESS) return result;
  return sched_setaffinity(0, sizeof near, &near) == 0 || errno == EINVAL ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

// The system takes of all numbers those of CPUs that there are and that the thread may use.
nvmlReturn_t DeviceClearCpuAffinity(const Machine&, const Gpu&) {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  return sched_setaffinity(0, sizeof all, &all) == 0 ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

}  // namespace nvmlkit::driver::functions
