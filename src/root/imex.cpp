#include "root/imex.hpp"

#include <algorithm>
#include <string_view>

#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::root {

bool knows_imex(const sim::Machine& machine) {
  const auto& version = machine.system().driver_version;
  return version && sim::branch_number(version->view()) >= 550;
}

bool shares_memory(const sim::Machine& machine) {
  if (!knows_imex(machine)) return false;
  const auto gpus = machine.gpus();
  return std::any_of(gpus.begin(), gpus.end(), [](const sim::model::Gpu& gpu) {
    const auto& cluster = gpu.fabric.cluster_uuid;
    return cluster && cluster->view().find_first_not_of("0-") != std::string_view::npos;
  });
}

}  // namespace nvmlkit::root
