// The built-in machines as plain YAML, and the fixture of their tests.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::profiles_test {

struct Profile {
  std::string_view name;   // profiles/<name>.yaml
  std::string_view facts;  // its key in gpus.yaml; empty: the facts have no such GPU
  size_t gpus;
  bool partial = false;  // captures show parts of it only: what they lack is absent
};

inline constexpr std::array kProfiles = {
    Profile{"a100", "a100-sxm4-40gb", 8},
    Profile{"a100-80gb", "a100-sxm4-80gb", 8},
    Profile{"h100", "h100-sxm-80gb", 8},
    Profile{"h200", "h200-141gb", 8},
    Profile{"b200", "b200", 8},
    Profile{"b300", "", 8, true},
    Profile{"gb200", "gb200", 4},
    Profile{"gb300", "gb300", 4},
    Profile{"vr200", "", 4},
    Profile{"l40s", "l40s", 8},
    Profile{"t4", "t4", 4},
    Profile{"l4", "l4", 1},
    Profile{"a10", "a10", 4},
    Profile{"a16", "", 4, true},
    Profile{"a30", "a30", 2, true},
    Profile{"a40", "", 8},
    Profile{"v100", "v100-sxm2-32gb", 8},
    Profile{"rtx4090", "rtx4090", 1},
    Profile{"rtx5090", "", 1, true},
    Profile{"rtx3070ti", "rtx3070ti", 1, true},
    Profile{"gh200", "", 1},
    Profile{"thor", "", 1, true},
    Profile{"rtxpro6000", "rtx-pro-6000-blackwell-server", 1},
};

inline void PrintTo(const Profile& profile, std::ostream* out) { *out << profile.name; }

// GoogleTest takes no `-` in a name.
inline std::string name_of(const testing::TestParamInfo<Profile>& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

// The node at a dotted path below `node`; an undefined one when there is none.
inline YAML::Node node_at(const YAML::Node& node, std::string_view path) {
  if (!node.IsDefined() || !node.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  const size_t dot = path.find('.');
  const YAML::Node child = node[std::string(path.substr(0, dot))];
  if (!child.IsDefined() || dot == std::string_view::npos) return child;
  return node_at(child, path.substr(dot + 1));
}

class Machine {
 public:
  explicit Machine(std::string_view name)
      : root_(YAML::LoadFile((std::filesystem::path(NVMLKIT_PROFILES_DIR) / (std::string(name) + ".yaml")).string())) {}

  [[nodiscard]] YAML::Node devices() const { return root_["devices"]; }

  // The value of the first of `paths` (separated by `|`) that the machine has. A path is one of the GPU `index`, from
  // its entry under `devices` or else from `device_defaults`; with a leading `/` it starts at the top of the file.
  [[nodiscard]] YAML::Node find(std::string_view paths, size_t index = 0) const {
    for (;;) {
      const size_t bar = paths.find('|');
      const std::string_view path = paths.substr(0, bar);
      if (path.starts_with('/')) {
        if (const YAML::Node node = node_at(root_, path.substr(1)); node.IsDefined()) return node;
      } else {
        if (const YAML::Node node = node_at(root_["devices"][index], path); node.IsDefined()) return node;
        if (const YAML::Node node = node_at(root_["device_defaults"], path); node.IsDefined()) return node;
      }
      if (bar == std::string_view::npos) return YAML::Node(YAML::NodeType::Undefined);
      paths.remove_prefix(bar + 1);
    }
  }

  // The scalar at `paths`; nullopt where the machine has none, or says N/A.
  [[nodiscard]] std::optional<std::string> text(std::string_view paths) const {
    const YAML::Node node = find(paths);
    if (!node.IsDefined() || !node.IsScalar() || node.Scalar() == "N/A") return std::nullopt;
    return node.Scalar();
  }

  [[nodiscard]] std::optional<int64_t> number(std::string_view paths) const {
    const std::optional<std::string> scalar = text(paths);
    return scalar ? std::optional(std::stoll(*scalar, nullptr, 0)) : std::nullopt;
  }

  [[nodiscard]] int64_t required(std::string_view paths) const {
    const std::optional<int64_t> value = number(paths);
    if (!value) throw std::runtime_error("the profile lacks " + std::string(paths));
    return *value;
  }

  [[nodiscard]] std::vector<std::string> bus_ids() const {
    std::vector<std::string> ids;
    for (const YAML::Node& device : devices()) ids.push_back(node_at(device, "pci.bus_id").as<std::string>());
    return ids;
  }

 private:
  YAML::Node root_;
};

struct ClockList {
  int64_t memory;
  std::vector<int64_t> graphics;
};

inline std::vector<ClockList> supported_clocks(const Machine& machine) {
  std::vector<ClockList> lists;
  for (const YAML::Node& list : machine.find("supported_clocks.memory_clocks")) {
    lists.push_back({list["freq_mhz"].as<int64_t>(), list["graphics_clocks"].as<std::vector<int64_t>>()});
  }
  return lists;
}

class ProfileTest : public testing::TestWithParam<Profile> {
 protected:
  // Drivers that know Blackwell have no applications clocks any more.
  bool has_no_applications_clocks() const {
    const auto architecture = machine_.text("architecture");
    return architecture == "blackwell" || architecture == "rubin";
  }

  // A number that only the profile of a partial capture may lack.
  std::optional<int64_t> known(std::string_view path) const {
    if (GetParam().partial) return machine_.number(path);
    return machine_.required(path);
  }

  Machine machine_{GetParam().name};
};

}  // namespace nvmlkit::profiles_test
