// The CDI specification of a root: the steps of a container runtime that give GPUs to a container.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "root/devices.hpp"

namespace nvmlkit::root {

struct Mount {
  std::filesystem::path host;
  std::string container;
  bool writable = false;
};

// A program that runtimes start when a container is made and when it has ended.
struct CdiHook {
  std::filesystem::path program, state;  // on the host
  std::string memory, load;              // of containers that name none; empty: nothing
};

struct CdiInput {
  std::string version;                 // of CDI
  std::string kind;                    // VENDOR/CLASS
  std::filesystem::path root;          // where dev/ is
  std::vector<Mount> mounts;           // what every container gets
  std::vector<std::string> variables;  // NAME=VALUE
  std::optional<CdiHook> hook = std::nullopt;
};

// Is it VENDOR/CLASS, as CDI has it?
bool is_cdi_kind(std::string_view kind);

// Devices are the GPUs and MIG devices, by index and by UUID, and `all`.
nlohmann::ordered_json cdi_specification(const CdiInput& input, const std::vector<GpuDevice>& gpus);

// The same as YAML.
std::string as_yaml(const nlohmann::ordered_json& document);

}  // namespace nvmlkit::root
