#include "root/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "root/caps.hpp"
#include "root/driver_state.hpp"
#include "root/fabric.hpp"
#include "root/imex.hpp"
#include "sim/traits/driver_branch.hpp"

namespace nvmlkit::root {
namespace {

using sim::mig::capability_minor;

using NamedNode = std::pair<std::string, Node>;

std::string capability_node(unsigned int minor) { return fmt::format("nvidia-caps/nvidia-cap{}", minor); }

void add_mig_nodes(std::vector<NamedNode>& nodes, const std::vector<GpuDevice>& gpus) {
  if (std::none_of(gpus.begin(), gpus.end(), [](const GpuDevice& gpu) { return gpu.has_mig; })) return;
  const auto add = [&](unsigned int minor, unsigned int mode) {
    nodes.push_back({capability_node(minor), {kCapsMajor, minor, mode}});
  };
  add(kMigConfigMinor, 0400);
  add(kMigMonitorMinor, 0444);
  for (const auto& gpu : gpus) {
    for (const auto instance : gpu.gpu_instances) add(capability_minor(gpu.minor, instance), 0444);
    for (const auto& mig : gpu.mig_devices) add(capability_minor(gpu.minor, mig.id), 0444);
  }
}

// The fabric manager and the IMEX service have nodes made for themselves.
void add_fabric_nodes(std::vector<NamedNode>& nodes, const sim::Machine& machine) {
  const auto switches = visible_switches(machine);
  if (!switches.empty()) {
    nodes.push_back({"nvidia-nvlink", {kNvLinkMajor, 0, 0666}});
    nodes.push_back({"nvidia-nvswitchctl", {kSwitchMajor, 255, 0666}});
    nodes.push_back({capability_node(kFabricMinor), {kCapsMajor, kFabricMinor, 0400}});
  }
  for (unsigned int i = 0; i < switches.size(); ++i)
    nodes.push_back({fmt::format("nvidia-nvswitch{}", i), {kSwitchMajor, i, 0666}});
  if (!shares_memory(machine)) return;
  for (const auto& capability : system_capabilities(machine))
    nodes.push_back({capability_node(capability.minor), {kCapsMajor, capability.minor, 0400}});
  nodes.push_back({"nvidia-caps-imex-channels/channel0", {kImexMajor, 0, 0666}});
}

}  // namespace

std::vector<GpuDevice> devices_of(const sim::Machine& machine) {
  std::vector<GpuDevice> out;
  for (const auto& gpu : machine.gpus()) {
    const auto place = machine.index_of(gpu);
    if (!is_on_bus(gpu)) continue;
    GpuDevice device{.place = place,
                     .index = out.size(),
                     .minor = 0,
                     .uuid = {},
                     .is_started = starts_gpus(machine),
                     .has_mig = false,
                     .mig_enabled = false,
                     .gpu_instances = {},
                     .mig_devices = {}};
    device.minor = gpu.minor_number.value_or(static_cast<std::uint32_t>(place));
    if (gpu.uuid) device.uuid = gpu.uuid->view();
    device.has_mig = gpu.mig.mode_current.present;
    device.mig_enabled = device.has_mig && *gpu.mig.mode_current == 1;
    if (device.mig_enabled)
      for (const auto& instance : gpu.mig.instances) device.gpu_instances.push_back(instance.id.value_or(0));
    for (std::uint32_t i = 0; const auto mig = sim::mig::device_at(gpu, i); ++i)
      device.mig_devices.push_back({mig->id(), std::string(sim::mig::uuid_of(gpu, mig->id()).view())});
    out.push_back(std::move(device));
  }
  return out;
}

std::string node_of(const GpuDevice& gpu) { return fmt::format("nvidia{}", gpu.minor); }

std::vector<std::string> nodes_of(const GpuDevice& gpu, const MigDevice& device) {
  return {node_of(gpu), capability_node(capability_minor(gpu.minor, device.id.instance)),
          capability_node(capability_minor(gpu.minor, device.id))};
}

std::vector<std::string> control_nodes() { return {"nvidiactl", "nvidia-modeset", "nvidia-uvm", "nvidia-uvm-tools"}; }

void add_nodes(Tree& tree, const sim::Machine& machine, const std::vector<GpuDevice>& gpus) {
  const auto mode = mode_of_nodes(machine);
  std::vector<NamedNode> nodes{{"nvidiactl", {kGpuMajor, 255, mode}},
                               {"nvidia-modeset", {kGpuMajor, 254, mode}},
                               {"nvidia-uvm", {kUvmMajor, 0, mode}},
                               {"nvidia-uvm-tools", {kUvmMajor, 1, mode}}};
  for (const auto& gpu : gpus) nodes.push_back({node_of(gpu), {kGpuMajor, gpu.minor, mode}});
  add_mig_nodes(nodes, gpus);
  add_fabric_nodes(nodes, machine);
  std::string list;
  for (const auto& [path, node] : nodes) {
    tree["dev/" + path] = node;
    list += fmt::format("/dev/{} c {} {} {:04o}\n", path, node.major, node.minor, node.mode);
  }
  tree["dev-nodes"] = Text{list};
}

std::string device_numbers(const sim::Machine& machine) {
  const auto& version = machine.system().driver_version;
  const bool old = version && sim::branch_number(version->view()) < 550;
  std::string out = "Character devices:\n";
  constexpr std::string_view kEnd = "\nBlock devices:\n";
  if (!is_driver_loaded(machine)) return out.append(kEnd);
  const auto line = [&](unsigned int major, std::string_view name) { out += fmt::format("{:3} {}\n", major, name); };
  if (old) {
    line(kGpuMajor, "nvidia-frontend");
  } else {
    for (const auto* name : {"nvidia", "nvidia-modeset", "nvidiactl"}) line(kGpuMajor, name);
  }
  if (knows_imex(machine)) line(kImexMajor, "nvidia-caps-imex-channels");
  line(kNvLinkMajor, "nvidia-nvlink");
  line(kCapsMajor, "nvidia-caps");
  line(kSwitchMajor, "nvidia-nvswitch");
  line(kUvmMajor, "nvidia-uvm");
  return out.append(kEnd);
}

}  // namespace nvmlkit::root
