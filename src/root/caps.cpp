#include "root/caps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "root/imex.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::root {
namespace {

using sim::mig::capability_minor;

constexpr std::size_t kGpusOfDriver = 32;  // that its table of MIG capabilities has room for
constexpr unsigned int kRootReads = 0400, kAllRead = 0444;

std::string capability(unsigned int minor, unsigned int mode) {
  return fmt::format("DeviceFileMinor: {}\nDeviceFileMode: {}\nDeviceFileModify: 1\n", minor, mode);
}

std::size_t gpus_of_table(std::size_t gpus) { return std::max(gpus, kGpusOfDriver); }

// Every minor number that there may be.
std::string mig_minors(std::size_t gpus) {
  std::string out = fmt::format("config {}\nmonitor {}\n", kMigConfigMinor, kMigMonitorMinor);
  for (unsigned int gpu = 0; gpu < gpus_of_table(gpus); ++gpu)
    for (std::uint32_t instance = 0; instance < 15; ++instance) {
      out += fmt::format("gpu{}/gi{}/access {}\n", gpu, instance, capability_minor(gpu, instance));
      for (std::uint32_t compute = 0; compute < 8; ++compute)
        out += fmt::format("gpu{}/gi{}/ci{}/access {}\n", gpu, instance, compute,
                           capability_minor(gpu, sim::mig::DeviceId{instance, compute}));
    }
  return out;
}

void add_mig(Tree& tree, const std::vector<GpuDevice>& gpus) {
  const Place folder(tree, "proc/driver/nvidia/capabilities");
  folder.add_bytes("mig/config", capability(kMigConfigMinor, kRootReads));
  folder.add_bytes("mig/monitor", capability(kMigMonitorMinor, kAllRead));
  for (const auto& gpu : gpus) {
    const auto of_gpu = fmt::format("gpu{}/mig/gi", gpu.minor);
    for (const auto instance : gpu.gpu_instances)
      folder.add_bytes(fmt::format("{}{}/access", of_gpu, instance),
                       capability(capability_minor(gpu.minor, instance), kAllRead));
    for (const auto& mig : gpu.mig_devices)
      folder.add_bytes(fmt::format("{}{}/ci{}/access", of_gpu, mig.id.instance, mig.id.compute),
                       capability(capability_minor(gpu.minor, mig.id), kAllRead));
  }
}

}  // namespace

std::vector<SystemCapability> system_capabilities(const sim::Machine& machine) {
  std::vector<SystemCapability> out;
  if (!knows_imex(machine)) return out;
  auto minor = capability_minor(static_cast<std::uint32_t>(gpus_of_table(machine.gpus().size())), 0);
  out.push_back({"fabric-imex-mgmt", minor});
  // From 610 on, nodes replace the module's parameter that admits users to profiling.
  if (sim::branch_number(machine.system().driver_version->view()) >= 610)
    for (const auto* name : {"profiler-device", "profiler-context", "trace-device"}) out.push_back({name, ++minor});
  return out;
}

void add_capabilities(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus) {
  const Place minors(tree, "proc/driver/nvidia-caps");
  minors.add_bytes("mig-minors", mig_minors(gpus.size()));
  minors.add("nvlink-minors", fmt::format("fabric-mgmt {}", kFabricMinor));
  tree["proc/driver/nvidia-nvlink/capabilities/fabric-mgmt"] = Text{capability(kFabricMinor, kRootReads)};
  if (std::any_of(gpus.begin(), gpus.end(), [](const GpuDevice& gpu) { return gpu.has_mig; })) add_mig(tree, gpus);

  if (!knows_imex(machine)) return;
  std::string list;
  for (const auto& [name, minor] : system_capabilities(machine)) {
    list += fmt::format("{} {}\n", name, minor);
    Place(tree, "proc/driver/nvidia/capabilities").add_bytes(name, capability(minor, kRootReads));
  }
  minors.add_bytes("sys-minors", list);
}

}  // namespace nvmlkit::root
