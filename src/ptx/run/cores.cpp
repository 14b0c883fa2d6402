// The number of cores that a process may use.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

#include "ptx/run/helpers.hpp"

namespace nvmlkit::ptx {
namespace {

// Cores of time that a control group and those around it may use at most.
double limit_of_groups() {
  double least = INFINITY;
  const auto limit = [&](double quota, double period) {
    if (quota > 0 && period > 0) least = std::min(least, quota / period);
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (auto path = line.substr(3);; path.resize(path.rfind('/'))) {
      std::ifstream file("/sys/fs/cgroup" + path + "/cpu.max");
      double quota = 0, period = 0;
      if (file >> quota >> period) limit(quota, period);
      if (path.find('/') == std::string::npos) break;
    }
  }
  double quota = 0, period = 0;
  std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) limit(quota, period);
  return least;
}

}  // namespace

unsigned usable_cores() {
  static const unsigned count = [] {
    cpu_set_t set;
    const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    const double cores = known ? CPU_COUNT(&set) : std::thread::hardware_concurrency();
    return static_cast<unsigned>(std::max(1.0, std::min(cores, std::ceil(limit_of_groups()))));
  }();
  return count;
}

}  // namespace nvmlkit::ptx
