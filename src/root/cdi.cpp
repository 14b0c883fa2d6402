#include "root/cdi.hpp"

#include <fmt/format.h>

namespace nvmlkit::root {
namespace {

using Json = nlohmann::ordered_json;

// Device nodes are mounted like files: a runtime could not make nodes of a driver that is not there, and one without
// root's rights can make none at all.
Json node_mount(const CdiInput& input, const std::string& node) {
  return {{"hostPath", (input.root / "dev" / node).string()},
          {"containerPath", "/dev/" + node},
          {"options", {"ro", "nosuid", "nodev", "bind"}}};
}

Json device(const CdiInput& input, const std::string& name, const std::vector<std::string>& nodes) {
  auto mounts = Json::array();
  for (const auto& node : nodes) mounts.push_back(node_mount(input, node));
  return {{"name", name}, {"containerEdits", {{"mounts", mounts}}}};
}

void write(std::string& out, const Json& value, std::size_t depth);

void write_members(std::string& out, const Json& object, std::size_t depth, bool after_dash) {
  for (const auto& [name, value] : object.items()) {
    if (!after_dash) out.append(depth * 2, ' ');
    after_dash = false;
    out += name + ":";
    write(out, value, depth);
  }
}

// Strings are written as JSON writes them, which is YAML too.
void write(std::string& out, const Json& value, std::size_t depth) {
  if (!value.is_structured()) {
    out += " " + value.dump() + "\n";
    return;
  }
  if (value.empty()) {
    out += value.is_array() ? " []\n" : " {}\n";
    return;
  }
  out += "\n";
  if (value.is_object()) return write_members(out, value, depth + 1, false);
  for (const auto& element : value) {
    out.append(depth * 2, ' ');
    out += "-";
    if (!element.is_object()) {
      write(out, element, depth + 1);
      continue;
    }
    out += " ";
    write_members(out, element, depth + 1, true);
  }
}

}  // namespace

Json cdi_specification(const CdiInput& input, const std::vector<GpuDevice>& gpus) {
  auto devices = Json::array();
  std::vector<std::string> all;
  for (const auto& gpu : gpus) {
    const std::vector<std::string> own{node_of(gpu)};
    all.push_back(own[0]);
    // A GPU in MIG mode does no work itself; its devices do.
    if (!gpu.mig_enabled) {
      devices.push_back(device(input, fmt::format("{}", gpu.index), own));
      if (!gpu.uuid.empty()) devices.push_back(device(input, gpu.uuid, own));
    }
    for (std::size_t i = 0; i < gpu.mig_devices.size(); ++i) {
      const auto nodes = nodes_of(gpu, gpu.mig_devices[i]);
      devices.push_back(device(input, fmt::format("{}:{}", gpu.index, i), nodes));
      devices.push_back(device(input, gpu.mig_devices[i].uuid, nodes));
      for (const auto& node : nodes)
        if (std::find(all.begin(), all.end(), node) == all.end()) all.push_back(node);
    }
  }
  devices.push_back(device(input, "all", all.empty() ? control_nodes() : all));

  auto mounts = Json::array();
  for (const auto& mount : input.mounts)
    mounts.push_back({{"hostPath", mount.host.string()},
                      {"containerPath", mount.container},
                      {"options", {mount.writable ? "rw" : "ro", "nosuid", "nodev", "bind"}}});
  for (const auto& node : control_nodes()) mounts.push_back(node_mount(input, node));
  return {{"cdiVersion", input.version},
          {"kind", "nvidia.com/gpu"},
          {"containerEdits", {{"env", input.variables}, {"mounts", mounts}}},
          {"devices", devices}};
}

std::string as_yaml(const Json& document) {
  std::string out;
  write_members(out, document, 0, false);
  return out;
}

}  // namespace nvmlkit::root
