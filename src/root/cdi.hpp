// The CDI specification of a root: the steps of a container runtime that give GPUs to a container.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "root/devices.hpp"

namespace nvmlkit::root {

struct Mount {
  std::filesystem::path host;
  std::string container;
  bool writable = false;
};

struct CdiInput {
  std::string version;                 // of CDI
  std::filesystem::path root;          // where dev/ is
  std::vector<Mount> mounts;           // what every container gets
  std::vector<std::string> variables;  // NAME=VALUE
};

// Devices are the GPUs and MIG devices, by index and by UUID, and `all`.
nlohmann::ordered_json cdi_specification(const CdiInput& input, const std::vector<GpuDevice>& gpus);

// The same as YAML.
std::string as_yaml(const nlohmann::ordered_json& document);

}  // namespace nvmlkit::root
