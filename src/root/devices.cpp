#include "root/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/state/attention.hpp"

namespace nvmlkit::root {
namespace {

using sim::mig::capability_minor;

std::string capability_node(unsigned int minor) { return fmt::format("nvidia-caps/nvidia-cap{}", minor); }

}  // namespace

std::vector<GpuDevice> devices_of(const sim::Machine& machine) {
  std::vector<GpuDevice> out;
  for (const auto& gpu : machine.gpus()) {
    const auto place = machine.index_of(gpu);
    if (!sim::state::is_visible(machine, place)) continue;
    GpuDevice device{.place = place,
                     .index = out.size(),
                     .minor = 0,
                     .uuid = {},
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

void add_nodes(Tree& tree, const std::vector<GpuDevice>& gpus) {
  std::vector<std::pair<std::string, Node>> nodes{{"nvidiactl", {kGpuMajor, 255, 0666}},
                                                  {"nvidia-modeset", {kGpuMajor, 254, 0666}},
                                                  {"nvidia-uvm", {kUvmMajor, 0, 0666}},
                                                  {"nvidia-uvm-tools", {kUvmMajor, 1, 0666}}};
  for (const auto& gpu : gpus) nodes.push_back({node_of(gpu), {kGpuMajor, gpu.minor, 0666}});
  if (std::any_of(gpus.begin(), gpus.end(), [](const GpuDevice& gpu) { return gpu.has_mig; })) {
    nodes.push_back({capability_node(kMigConfigMinor), {kCapsMajor, kMigConfigMinor, 0400}});
    nodes.push_back({capability_node(kMigMonitorMinor), {kCapsMajor, kMigMonitorMinor, 0444}});
  }
  for (const auto& gpu : gpus) {
    for (const auto instance : gpu.gpu_instances) {
      const auto minor = capability_minor(gpu.minor, instance);
      nodes.push_back({capability_node(minor), {kCapsMajor, minor, 0444}});
    }
    for (const auto& mig : gpu.mig_devices) {
      const auto minor = capability_minor(gpu.minor, mig.id);
      nodes.push_back({capability_node(minor), {kCapsMajor, minor, 0444}});
    }
  }
  std::string list;
  for (const auto& [path, node] : nodes) {
    tree["dev/" + path] = node;
    list += fmt::format("/dev/{} c {} {} {:04o}\n", path, node.major, node.minor, node.mode);
  }
  tree["dev-nodes"] = Text{list};
}

}  // namespace nvmlkit::root
