// The built-in machines: each agrees with itself, and with what is known of the GPU it describes.
//
// The known facts live outside the repository; NVMLKIT_SHARED_FACTS_DIR names the folder that holds gpus.yaml.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Profile {
  std::string_view name;   // profiles/<name>.yaml
  std::string_view facts;  // its key in gpus.yaml; empty: the facts have no such GPU
  size_t gpus;
  bool partial = false;  // captures show parts of it only: what they lack is absent
};

constexpr std::array kProfiles = {
    Profile{"a100", "a100-sxm4-40gb", 8},
    Profile{"h100", "h100-sxm-80gb", 8},
    Profile{"h200", "h200-141gb", 8},
    Profile{"b200", "b200", 8},
    Profile{"gb200", "gb200", 4},
    Profile{"gb300", "gb300", 4},
    Profile{"l40s", "l40s", 8},
    Profile{"t4", "t4", 4},
    Profile{"l4", "l4", 1},
    Profile{"a10", "a10", 4},
    Profile{"a16", "", 4, true},
    Profile{"a30", "a30", 2, true},
    Profile{"a40", "", 8},
    Profile{"v100", "v100-sxm2-32gb", 8},
    Profile{"rtx4090", "rtx4090", 1},
    Profile{"rtx3070ti", "rtx3070ti", 1, true},
    Profile{"gh200", "", 1},
    Profile{"rtxpro6000", "rtx-pro-6000-blackwell-server", 1},
};

void PrintTo(const Profile& profile, std::ostream* out) { *out << profile.name; }

std::string name_of(const testing::TestParamInfo<Profile>& info) { return std::string(info.param.name); }

// --- YAML ---------------------------------------------------------------------------------------------------------

/// The node at a dotted path below `node`; an undefined one when there is none.
YAML::Node At(const YAML::Node& node, std::string_view path) {
  if (!node.IsDefined() || !node.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  const size_t dot = path.find('.');
  const YAML::Node child = node[std::string(path.substr(0, dot))];
  if (!child.IsDefined() || dot == std::string_view::npos) return child;
  return At(child, path.substr(dot + 1));
}

class Machine {
 public:
  explicit Machine(std::string_view name)
      : root_(YAML::LoadFile((std::filesystem::path(NVMLKIT_PROFILES_DIR) / (std::string(name) + ".yaml")).string())) {}

  [[nodiscard]] YAML::Node devices() const { return root_["devices"]; }

  /// The value of the first of `paths` (separated by `|`) that the machine has. A path is one of the GPU `index`, from
  /// its entry under `devices` or else from `device_defaults`; with a leading `/` it starts at the top of the file.
  [[nodiscard]] YAML::Node find(std::string_view paths, size_t index = 0) const {
    for (;;) {
      const size_t bar = paths.find('|');
      const std::string_view path = paths.substr(0, bar);
      if (path.starts_with('/')) {
        if (const YAML::Node node = At(root_, path.substr(1)); node.IsDefined()) return node;
      } else {
        if (const YAML::Node node = At(root_["devices"][index], path); node.IsDefined()) return node;
        if (const YAML::Node node = At(root_["device_defaults"], path); node.IsDefined()) return node;
      }
      if (bar == std::string_view::npos) return YAML::Node(YAML::NodeType::Undefined);
      paths.remove_prefix(bar + 1);
    }
  }

  /// The scalar at `paths`; nullopt where the machine has none, or says N/A.
  [[nodiscard]] std::optional<std::string> text(std::string_view paths) const {
    const YAML::Node node = find(paths);
    if (!node.IsDefined() || !node.IsScalar() || node.Scalar() == "N/A") return std::nullopt;
    return node.Scalar();
  }

  [[nodiscard]] std::optional<int64_t> number(std::string_view paths) const {
    const std::optional<std::string> text = text(paths);
    return text ? std::optional(std::stoll(*text, nullptr, 0)) : std::nullopt;
  }

  [[nodiscard]] int64_t required(std::string_view paths) const {
    const std::optional<int64_t> number = number(paths);
    if (!number) throw std::runtime_error("the profile lacks " + std::string(paths));
    return *number;
  }

  [[nodiscard]] std::vector<std::string> bus_ids() const {
    std::vector<std::string> ids;
    for (const YAML::Node& device : devices()) ids.push_back(At(device, "pci.bus_id").as<std::string>());
    return ids;
  }

 private:
  YAML::Node root_;
};

struct ClockList {
  int64_t memory;
  std::vector<int64_t> graphics;
};

std::vector<ClockList> supported_clocks(const Machine& machine) {
  std::vector<ClockList> lists;
  for (const YAML::Node& list : machine.find("supported_clocks.memory_clocks")) {
    lists.push_back({list["freq_mhz"].as<int64_t>(), list["graphics_clocks"].as<std::vector<int64_t>>()});
  }
  return lists;
}

// --- The machine by itself ------------------------------------------------------------------------------------------

class ProfileTest : public testing::TestWithParam<Profile> {
 protected:
  /// Drivers that know Blackwell have no applications clocks any more.
  bool has_no_applications_clocks() const { return machine_.text("architecture") == "blackwell"; }

  /// A number that only the profile of a partial capture may lack.
  std::optional<int64_t> known(std::string_view path) const {
    if (GetParam().partial) return machine_.number(path);
    return machine_.required(path);
  }

  Machine machine_{GetParam().name};
};

TEST_P(ProfileTest, DevicesAreCountedAndInBusOrder) {
  ASSERT_EQ(machine_.devices().size(), GetParam().gpus);
  for (size_t i = 0; i < GetParam().gpus; ++i) EXPECT_EQ(machine_.devices()[i]["index"].as<size_t>(), i);
  const std::vector<std::string> ids = machine_.bus_ids();
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size()) << "a bus id stands twice";
}

TEST_P(ProfileTest, MemoryAddsUp) {
  const int64_t total = machine_.required("memory.total_bytes");
  const int64_t taken = known("memory.reserved_bytes").value_or(0) + machine_.required("memory.used_bytes");
  EXPECT_GT(total, taken);
  EXPECT_EQ(machine_.number("memory.free_bytes").value_or(total - taken), total - taken);
  // The CPU reaches the memory of a superchip without a window.
  const bool superchip = GetParam().gpus == 1 && machine_.text("addressing_mode") == "ats";
  const std::optional<int64_t> bar1 =
      superchip ? machine_.number("bar1_memory.total_bytes") : known("bar1_memory.total_bytes");
  EXPECT_EQ(superchip, !bar1 && !GetParam().partial);
  if (!bar1) return;
  const int64_t bar1_total = *bar1;
  const int64_t bar1_used = machine_.required("bar1_memory.used_bytes");
  EXPECT_GT(bar1_total, bar1_used);
  EXPECT_EQ(machine_.number("bar1_memory.free_bytes").value_or(bar1_total - bar1_used), bar1_total - bar1_used);
}

TEST_P(ProfileTest, PowerLimitsAreOrdered) {
  for (const std::string group : {"power.", "module_power."}) {
    const std::optional<int64_t> lowest = machine_.number(group + "min_limit_mw");
    if (!lowest && (group == "module_power." || GetParam().partial)) continue;
    const int64_t standard = machine_.required(group + "default_limit_mw");
    const int64_t limit = machine_.number(group + "limit_mw").value_or(standard);
    const int64_t highest = machine_.required(group + "max_limit_mw");
    EXPECT_LE(lowest, standard) << group;
    EXPECT_LE(standard, highest) << group;
    EXPECT_LE(lowest, limit) << group;
    EXPECT_LE(limit, highest) << group;
    EXPECT_LT(machine_.required(group + "instant_draw_mw"), limit) << group;
  }
}

TEST_P(ProfileTest, ThresholdsAreOrdered) {
  if (machine_.number("thermal.tlimit_c")) {
    EXPECT_LT(machine_.required("thermal.shutdown_tlimit_c"), machine_.required("thermal.slowdown_tlimit_c"));
    EXPECT_LT(machine_.required("thermal.slowdown_tlimit_c"), machine_.required("thermal.max_operating_tlimit_c"));
    EXPECT_FALSE(machine_.number("thermal.slowdown_threshold_c")) << "a GPU has margins or degrees, not both";
  } else if (known("thermal.max_operating_c")) {
    EXPECT_LT(machine_.required("thermal.temperature_gpu_c"), machine_.required("thermal.max_operating_c"));
    EXPECT_LT(machine_.required("thermal.max_operating_c"), machine_.required("thermal.slowdown_threshold_c"));
    EXPECT_LT(machine_.required("thermal.slowdown_threshold_c"), machine_.required("thermal.shutdown_threshold_c"));
  }
}

TEST_P(ProfileTest, PcieLinkIsWithinItsMaximum) {
  if (!known("pcie.current_link_gen")) return;
  EXPECT_LE(machine_.required("pcie.current_link_gen"), machine_.required("pcie.max_link_gen"));
  EXPECT_LE(machine_.required("pcie.max_link_gen"), machine_.required("pcie.device_max_link_gen"));
  EXPECT_LE(machine_.required("pcie.current_link_width"), machine_.required("pcie.max_link_width"));
}

TEST_P(ProfileTest, SupportedClocksAreSortedAndHoldTheOthers) {
  const std::vector<ClockList> lists = supported_clocks(machine_);
  // The text of `nvidia-smi -q`, all that is known of some GPUs, has no list.
  if (lists.empty() && (GetParam().partial || GetParam().facts.empty())) GTEST_SKIP() << "no capture lists the clocks";
  ASSERT_FALSE(lists.empty());
  EXPECT_TRUE(std::ranges::is_sorted(lists, std::ranges::greater_equal{}, &ClockList::memory));
  for (const ClockList& list : lists) {
    ASSERT_FALSE(list.graphics.empty()) << list.memory;
    EXPECT_EQ(std::ranges::adjacent_find(list.graphics, std::ranges::less_equal{}), list.graphics.end())
        << "the graphics clocks of " << list.memory << " MHz must fall";
  }
  EXPECT_EQ(machine_.required("clocks.memory_max"), lists.front().memory);
  EXPECT_EQ(machine_.required("clocks.graphics_max"), lists.front().graphics.front());
  for (const std::string suffix : {"_app", "_app_default"}) {
    const bool settable = machine_.number("clocks.memory" + suffix).has_value();
    EXPECT_EQ(settable, machine_.number("clocks.graphics" + suffix).has_value()) << suffix;
    if (!settable && (has_no_applications_clocks() || machine_.text("brand") == "geforce")) continue;
    const auto list = std::ranges::find(lists, machine_.required("clocks.memory" + suffix), &ClockList::memory);
    ASSERT_NE(list, lists.end()) << suffix;
    EXPECT_NE(std::ranges::find(list->graphics, machine_.required("clocks.graphics" + suffix)), list->graphics.end())
        << suffix;
  }
  EXPECT_LE(machine_.required("clocks.graphics_current"), machine_.required("clocks.graphics_max"));
  EXPECT_LE(machine_.required("clocks.memory_current"), machine_.required("clocks.memory_max"));
  EXPECT_LE(machine_.required("clocks.video_current"), machine_.required("clocks.video_max"));
}

TEST_P(ProfileTest, StartsIdleAndHealthy) {
  // No driver before branch 570 knows Blackwell; its captures are of 580.
  const bool blackwell = machine_.text("/device_defaults.architecture") == "blackwell";
  EXPECT_EQ(std::stoi(machine_.text("/system.driver_version").value_or("0")), blackwell ? 580 : 550);
  EXPECT_EQ(machine_.required("/system.cuda_version_major"), blackwell ? 13 : 12);
  EXPECT_EQ(machine_.required("/system.cuda_version_minor"), blackwell ? 0 : 4);
  EXPECT_EQ(machine_.text("clocks_throttle_reasons.gpu_idle"), "true");
  for (const std::string engine : {"gpu", "memory", "encoder", "decoder", "jpeg", "ofa"}) {
    // Engines that came with Turing and Ampere.
    if (machine_.text("architecture") == "volta" && (engine == "jpeg" || engine == "ofa")) {
      EXPECT_FALSE(machine_.number("utilization." + engine)) << engine;
      continue;
    }
    EXPECT_EQ(machine_.required("utilization." + engine), 0) << engine;
  }
  EXPECT_EQ(machine_.required("memory.used_bytes"), 0);
  EXPECT_EQ(machine_.required("power.total_energy_consumption_mj"), 0);
  // Fans stand still; a GPU that controls none has no speed.
  EXPECT_EQ(machine_.number("fan.speed_percent").value_or(-1), machine_.required("fan.count") > 0 ? 0 : -1);
  // A GPU repairs its memory by retiring pages or by remapping rows, and has done neither yet.
  const bool remaps = machine_.find("remapped_rows").IsDefined();
  if (remaps || !GetParam().partial) {
    EXPECT_EQ(machine_.text("retired_pages.supported").value_or("false"), remaps ? "false" : "true");
  }
  if (remaps) {
    EXPECT_EQ(machine_.required("remapped_rows.correctable"), 0);
    EXPECT_EQ(machine_.required("remapped_rows.uncorrectable"), 0);
    EXPECT_EQ(machine_.text("remapped_rows.pending"), "false");
    EXPECT_EQ(machine_.text("remapped_rows.failure_occurred"), "false");
  }
  EXPECT_EQ(machine_.text("ecc.sram.threshold_exceeded").value_or("false"), "false");
}

INSTANTIATE_TEST_SUITE_P(All, ProfileTest, testing::ValuesIn(kProfiles), name_of);

// --- The machine against the facts ----------------------------------------------------------------------------------

enum class As {
  kText,   // the same text
  kWord,   // the text in lower case, `_` for a space, `-` left out
  kHex,    // the same hexadecimal number
  kCount,  // the number that the text begins with, or a range `a..b` that holds ours
  kMib,    // MiB there, bytes here
  kWatt,   // W there, mW here
  kSpeed,  // GB/s there, MB/s here
  kFlag,   // yes / no in one of the words that nvidia-smi has for it
};

struct Row {
  std::string_view facts;
  std::string_view profile;  // `|` separates keys that stand in for each other, as the model's defaults do
  As as;
  std::string_view otherwise;  // what the model makes of an absent key; empty: Not Supported
};

// A fact of N/A asks for a key that is absent; one that is unknown asks for nothing.
constexpr Row kRows[] = {
    {"identity.product_name", "name", As::kText, ""},
    {"identity.product_brand", "brand", As::kWord, ""},
    {"identity.architecture", "architecture", As::kWord, ""},
    {"identity.pci_device_id", "pci.device_id", As::kHex, ""},
    {"identity.pci_subsystem_id", "pci.subsystem_id", As::kHex, ""},
    {"identity.pci_base_class", "pci.base_class", As::kHex, ""},
    {"identity.pci_sub_class", "pci.sub_class", As::kHex, ""},
    {"identity.vbios", "vbios_version", As::kText, ""},
    {"identity.board_part_number", "board_part_number", As::kText, ""},
    {"identity.gpu_part_number", "gpu_part_number", As::kText, ""},
    {"identity.gpu_fru_part_number", "fru_part_number", As::kText, ""},
    {"identity.multigpu_board", "multi_gpu_board", As::kFlag, "false"},
    {"identity.inforom.image", "inforom.image_version", As::kText, ""},
    {"identity.inforom.oem", "inforom.oem_object", As::kText, ""},
    {"identity.inforom.ecc", "inforom.ecc_object", As::kText, ""},
    {"identity.inforom.pwr", "inforom.pwr_object", As::kText, ""},
    {"platform_info_example.slot_number", "platform.slot_number", As::kCount, ""},
    {"platform_info_example.tray_index", "platform.tray_index", As::kCount, ""},
    {"platform_info_example.host_id", "platform.host_id", As::kCount, ""},
    {"platform_info_example.peer_type", "platform.peer_type", As::kText, ""},
    {"platform_info_example.module_id", "module_id", As::kCount, ""},
    {"memory.fb_total_mib", "memory.total_bytes", As::kMib, ""},
    {"memory.fb_reserved_mib", "memory.reserved_bytes", As::kMib, ""},
    {"memory.bar1_total_mib", "bar1_memory.total_bytes", As::kMib, ""},
    {"memory.bar1_used_idle_mib", "bar1_memory.used_bytes", As::kMib, ""},
    {"memory.cc_protected_total", "protected_memory.total_bytes", As::kMib, "0"},
    {"clocks.max.graphics", "clocks.graphics_max", As::kCount, ""},
    {"clocks.max.sm", "clocks.sm_max|clocks.graphics_max", As::kCount, ""},
    {"clocks.max.mem", "clocks.memory_max", As::kCount, ""},
    {"clocks.max.video", "clocks.video_max", As::kCount, ""},
    {"clocks.default_application.graphics", "clocks.graphics_app_default", As::kCount, ""},
    {"clocks.default_application.mem", "clocks.memory_app_default", As::kCount, ""},
    {"clocks.application.graphics", "clocks.graphics_app", As::kCount, ""},
    {"clocks.application.mem", "clocks.memory_app", As::kCount, ""},
    {"clocks.max_customer_boost", "clocks.graphics_max_customer_boost", As::kCount, ""},
    {"clocks.idle.graphics", "clocks.graphics_current", As::kCount, ""},
    {"clocks.idle.sm", "clocks.sm_current|clocks.graphics_current", As::kCount, ""},
    {"clocks.idle.mem", "clocks.memory_current", As::kCount, ""},
    {"clocks.idle.video", "clocks.video_current", As::kCount, ""},
    {"clocks.clock_policy.auto_boost", "clocks.auto_boost", As::kWord, ""},
    {"clocks.clock_policy.auto_boost_default", "clocks.auto_boost_default", As::kWord, ""},
    {"power_w.default", "power.default_limit_mw", As::kWatt, ""},
    {"power_w.min", "power.min_limit_mw", As::kWatt, ""},
    {"power_w.max", "power.max_limit_mw", As::kWatt, ""},
    {"power_w.current_limit", "power.enforced_limit_mw|power.limit_mw|power.default_limit_mw", As::kWatt, ""},
    {"power_w.enforced", "power.enforced_limit_mw|power.limit_mw|power.default_limit_mw", As::kWatt, ""},
    {"power_w.requested_limit", "power.limit_mw|power.default_limit_mw", As::kWatt, ""},
    {"power_w.idle_draw", "power.current_draw_mw", As::kWatt, ""},
    {"power_w.idle_average", "power.average_draw_mw", As::kWatt, ""},
    {"power_w.idle_instant", "power.instant_draw_mw|power.current_draw_mw", As::kWatt, ""},
    {"power_w.idle_memory_power", "power.memory_draw_mw", As::kWatt, ""},
    {"module_power.average_power_draw", "module_power.average_draw_mw", As::kWatt, ""},
    {"module_power.instant_power_draw", "module_power.instant_draw_mw", As::kWatt, ""},
    {"module_power.power_draw", "module_power.average_draw_mw", As::kWatt, ""},
    {"module_power.current_power_limit", "module_power.limit_mw", As::kWatt, ""},
    {"module_power.requested_power_limit", "module_power.requested_limit_mw|module_power.limit_mw", As::kWatt, ""},
    {"module_power.default_power_limit", "module_power.default_limit_mw", As::kWatt, ""},
    {"module_power.min_power_limit", "module_power.min_limit_mw", As::kWatt, ""},
    {"module_power.max_power_limit", "module_power.max_limit_mw", As::kWatt, ""},
    {"thermal_c.shutdown", "thermal.shutdown_threshold_c", As::kCount, ""},
    {"thermal_c.slowdown", "thermal.slowdown_threshold_c", As::kCount, ""},
    {"thermal_c.max_operating", "thermal.max_operating_c", As::kCount, ""},
    {"thermal_c.memory_max_operating", "thermal.memory_max_operating_c", As::kCount, ""},
    {"thermal_c.shutdown_tlimit", "thermal.shutdown_tlimit_c", As::kCount, ""},
    {"thermal_c.slowdown_tlimit", "thermal.slowdown_tlimit_c", As::kCount, ""},
    {"thermal_c.max_operating_tlimit", "thermal.max_operating_tlimit_c", As::kCount, ""},
    {"thermal_c.memory_max_operating_tlimit", "thermal.memory_max_operating_tlimit_c", As::kCount, ""},
    {"thermal_c.target", "thermal.target_temperature_c", As::kCount, ""},
    {"thermal_c.supported_target_min", "thermal.target_min_c", As::kCount, ""},
    {"thermal_c.supported_target_max", "thermal.target_max_c", As::kCount, ""},
    {"thermal_c.idle_gpu_temp", "thermal.temperature_gpu_c", As::kCount, ""},
    {"thermal_c.idle_memory_temp", "thermal.temperature_memory_c", As::kCount, ""},
    {"fan.fan_speed_field", "fan.speed_percent", As::kCount, ""},
    {"pcie.max_gen", "pcie.max_link_gen", As::kCount, ""},
    {"pcie.device_max_gen", "pcie.device_max_link_gen|pcie.max_link_gen", As::kCount, ""},
    {"pcie.host_max_gen", "pcie.host_max_link_gen", As::kCount, ""},
    {"pcie.max_width", "pcie.max_link_width", As::kCount, ""},
    {"pcie.idle_gen", "pcie.current_link_gen", As::kCount, ""},
    {"pcie.idle_width", "pcie.current_link_width", As::kCount, ""},
    {"ecc.mode_current", "ecc.mode_current", As::kWord, ""},
    {"ecc.mode_pending", "ecc.mode_pending|ecc.mode_current", As::kWord, ""},
    {"ecc.retired_pages_single", "retired_pages.single_bit_retirement.count", As::kCount, ""},
    {"ecc.retired_pages_double", "retired_pages.double_bit_retirement.count", As::kCount, ""},
    {"ecc.pending_retirement", "retired_pages.pending_retirement", As::kFlag, ""},
    {"ecc.remapped_rows_histogram_max_banks", "remapped_rows.availability_histogram.max", As::kCount, ""},
    {"modes.mig_mode", "mig.mode_current", As::kWord, ""},
    {"modes.persistence", "persistence_mode", As::kWord, ""},
    {"modes.display_mode", "display.mode", As::kWord, ""},
    {"modes.display_active", "display.active", As::kWord, ""},
    {"modes.addressing_mode", "addressing_mode", As::kWord, ""},
    {"modes.virtualization", "virtualization.mode", As::kWord, ""},
    {"modes.host_vgpu", "virtualization.host_vgpu_mode", As::kWord, ""},
    {"modes.c2c_mode", "/nvlink.c2c_enabled", As::kFlag, ""},
    {"modes.sparse_operation_mode", "sparse_operation_mode", As::kWord, ""},
    {"modes.gom", "gpu_operation_mode.current", As::kWord, ""},
    {"modes.compute_mode", "compute_mode", As::kWord, ""},
    {"modes.accounting_buffer", "accounting.buffer_size", As::kCount, ""},
    {"modes.perf_state_idle", "performance_state", As::kText, ""},
    {"fabric.state", "fabric.state", As::kWord, ""},
    {"fabric.cliqueId", "fabric.clique_id", As::kCount, ""},
    {"fabric.health.summary", "fabric.health_summary", As::kWord, ""},
    {"fabric.health.bandwidth", "fabric.health.degraded_bandwidth", As::kFlag, ""},
    {"fabric.health.route_recovery_in_progress", "fabric.health.route_recovery", As::kFlag, ""},
    {"fabric.health.route_unhealthy", "fabric.health.route_unhealthy", As::kFlag, ""},
    {"fabric.health.access_timeout_recovery", "fabric.health.access_timeout_recovery", As::kFlag, ""},
    {"fabric.health.incorrect_configuration", "fabric.health.incorrect_configuration", As::kWord, ""},
    {"compute.cuda_cores", "num_gpu_cores", As::kCount, ""},
    {"compute.memory_bus_bits", "memory.memory_bus_width", As::kCount, ""},
    {"nvlink.links", "/nvlink.links_per_gpu", As::kCount, "0"},
    {"nvlink.version", "/nvlink.version", As::kCount, ""},
    {"nvlink.nvidia_smi_speed", "/nvlink.bandwidth_per_link_mbps", As::kSpeed, ""},
    {"confidential_compute.capable", "features.confidential_compute", As::kFlag, ""},
    {"gpm.supported", "gpm.supported", As::kFlag, ""},
};

struct Reason {
  std::string_view facts;  // a fact, or a group of facts
  std::string_view why;
};

// Compared by a test of their own.
constexpr Reason kElsewhere[] = {
    {"clocks.supported", "SupportedClocks"},
    {"compute.capability", "ComputeCapability"},
    {"pcie.bus_ids", "BusIds"},
    {"thermal_c.idle_temp_plus_tlimit", "IdleMargin"},
    {"mig", "MigGpuInstances"},
};

// Not compared.
constexpr Reason kNotCompared[] = {
    {"source", "says where the facts come from"},
    {"driver", "says where the facts come from"},
    {"observed", "more captures of the same GPU"},
    {"unknown", "lists what is unknown"},
    {"pci_ids_per_nvidia", "says which ids the name covers"},
    {"clocks.application_source", "says where the facts come from"},
    {"identity.board_id_example", "made from the bus id"},
    {"identity.serial_format", "serial numbers are our own"},
    {"platform_info_example.chassis_serial_number", "serial numbers are our own"},
    {"platform_info_example.gpu_fabric_guid", "no key of the model"},
    {"module_power.power_state", "no key of the model"},
    {"modes.vgpu_heterogeneous", "no key of the model"},
    {"modes.gsp_firmware", "the version follows the driver"},
    {"modes.dram_encryption", "no key of the model"},
    {"modes.reset_required", "no key of the model"},
    {"modes.recovery_action", "no key of the model"},
    {"fabric.status", "no key of the model"},
    {"fabric.clusterUuid", "UUIDs are our own"},
    {"fabric.health.partition_assigned", "no key of the model"},
    {"compute.sm_count", "no key of the model; num_gpu_cores counts cores"},
    {"engines", "no key of the model"},
    {"clocks.under_load", "a machine starts idle"},
    {"thermal_c.loaded_gpu_temp", "a machine starts idle"},
    {"modes.perf_state_load", "a machine starts idle"},
    {"fan.behaviour", "a machine starts idle"},
};

struct Deviation {
  std::string_view profile;
  std::string_view facts;
  std::string_view why;
};

// Where a profile knowingly says something else than the facts. One that no longer deviates fails its test.
constexpr Deviation kDeviations[] = {
    {"a10", "clocks.idle.graphics", "the facts' GPU had stopped its clock; of a10-590.48.01-1"},
    {"a10", "clocks.idle.sm", "the facts' GPU had stopped its clock; of a10-590.48.01-1"},
    {"a100", "pcie.bus_ids", "the capture has one GPU; the ids are those of a100-sxm4-40gb-535.183.01-1"},
    {"a100", "platform_info_example.module_id", "goes with the bus ids, from a100-sxm4-40gb-535.183.01-1"},
    {"h200", "thermal_c.idle_gpu_temp", "one GPU's temperatures, of h200-590.48.01-1: the facts have ranges only"},
    {"h200", "thermal_c.idle_memory_temp", "one GPU's temperatures, of h200-590.48.01-1: the facts have ranges only"},
    {"l40s", "pcie.bus_ids", "the capture has one GPU, the machine eight"},
    {"t4", "pcie.bus_ids", "the capture has one GPU, the machine four"},
};

constexpr std::string_view kUnknown[] = {"",
                                         "null",
                                         "unknown",
                                         "not printed",
                                         "not listed",
                                         "board-vendor specific",
                                         "Requested functionality has been deprecated"};

bool is_unknown(std::string_view fact) {
  return std::ranges::any_of(
      kUnknown, [fact](std::string_view prefix) { return prefix.empty() ? fact.empty() : fact.starts_with(prefix); });
}

/// A fact without the remark behind it, and the first of two boards that differ.
std::string without_remark(std::string fact) {
  for (const std::string_view remark : {" (", " / ", " by default"})
    fact.resize(std::min(fact.size(), fact.find(remark)));
  return fact;
}

std::string word_of(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c == '-') continue;
    word += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

/// "true" or "false" for the words that the facts have for it. A bandwidth that is full is not degraded.
std::string flag_of(std::string_view text) {
  constexpr std::string_view kYes[] = {"yes", "Yes", "True", "true", "Enabled"};
  constexpr std::string_view kNo[] = {"no", "No", "False", "false", "Disabled", "Full"};
  const auto begins = [text](std::string_view word) { return text.starts_with(word); };
  if (std::ranges::any_of(kYes, begins)) return "true";
  if (std::ranges::any_of(kNo, begins)) return "false";
  return "not a flag: " + std::string(text);
}

/// Whether `number`, as the profile counts, is `fact` ("81", "16x", "49.68 W") or within it ("66.66..71.37 W").
bool is_number(std::string_view fact, double number, double scale) {
  const std::string text(fact);
  char* end = nullptr;
  const double low = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return false;
  const size_t dots = text.find("..");
  const double high = dots == std::string::npos ? low : std::strtod(text.c_str() + dots + 2, nullptr);
  return number >= low * scale - 0.5 && number <= high * scale + 0.5;
}

bool agrees(As as, std::string_view fact, const std::string& ours) {
  const auto number = [&ours] { return static_cast<double>(std::stoll(ours, nullptr, 0)); };
  switch (as) {
    case As::kText:
      return ours == fact;
    case As::kWord:
      return word_of(ours) == word_of(fact);
    case As::kHex:
      return std::stoul(ours, nullptr, 16) == std::stoul(std::string(fact), nullptr, 16);
    case As::kCount:
      return is_number(fact, number(), 1);
    case As::kMib:
      return is_number(fact, number(), 1024 * 1024);
    case As::kWatt:
      return is_number(fact, number(), 1000);
    case As::kSpeed:
      return is_number(fact, number(), 1000);
    case As::kFlag:
      return ours == flag_of(fact);
  }
  return false;
}

/// What is wrong with the machine's answer to one fact; nothing when it is right or nothing is known.
std::optional<std::string> complaint(const Machine& machine, const Row& row, const YAML::Node& fact) {
  std::vector<std::string> accepted;  // a list of facts is what the GPUs of a capture said: any of them will do
  if (fact.IsScalar()) accepted.push_back(without_remark(fact.Scalar()));
  if (fact.IsSequence()) accepted = fact.as<std::vector<std::string>>();
  if (accepted.empty() || is_unknown(accepted.front())) return std::nullopt;

  std::optional<std::string> ours = machine.text(row.profile);
  if (accepted.front() == "N/A") {
    if (!ours) return std::nullopt;
    return std::string(row.profile) + " is " + *ours + ", the GPU answers N/A";
  }
  if (!ours && !row.otherwise.empty()) ours = row.otherwise;
  if (!ours) return std::string(row.profile) + " is absent, known is " + accepted.front();
  if (std::ranges::any_of(accepted, [&](const std::string& one) { return agrees(row.as, one, *ours); })) {
    return std::nullopt;
  }
  return std::string(row.profile) + " is " + *ours + ", known is " + accepted.front();
}

/// The paths of all scalars and lists below `node`.
void collect_paths(const YAML::Node& node, const std::string& prefix, std::vector<std::string>& paths) {
  for (const auto& entry : node) {
    const std::string path = prefix + entry.first.Scalar();
    if (entry.second.IsMap()) {
      collect_paths(entry.second, path + ".", paths);
    } else {
      paths.push_back(path);
    }
  }
}

bool is_within(std::string_view path, std::string_view group) {
  return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '.');
}

class ProfileFactsTest : public ProfileTest {
 protected:
  void SetUp() override {
    if (GetParam().facts.empty()) GTEST_SKIP() << "the facts have no such GPU";
    const char* folder = std::getenv("NVMLKIT_SHARED_FACTS_DIR");
    if (folder == nullptr || *folder == '\0') {
      GTEST_SKIP() << "NVMLKIT_SHARED_FACTS_DIR does not name the folder that holds gpus.yaml";
    }
    const std::filesystem::path file = std::filesystem::path(folder) / "gpus.yaml";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << file;
    const YAML::Node facts = YAML::LoadFile(file.string())["gpus"][std::string(GetParam().facts)];
    ASSERT_TRUE(facts.IsDefined()) << GetParam().facts << " is not among the facts";
    facts_.reset(facts);
  }

  /// Reports `complaint`, unless the profile deviates here on purpose; a deviation without a complaint is stale.
  void judge(std::string_view fact, const std::optional<std::string>& complaint) {
    const auto* deviation = std::ranges::find_if(
        kDeviations, [&](const Deviation& one) { return one.profile == GetParam().name && one.facts == fact; });
    if (deviation == std::end(kDeviations)) {
      EXPECT_FALSE(complaint) << fact << ": " << *complaint;
    } else {
      EXPECT_TRUE(complaint) << fact << " agrees with the facts, strike the deviation: " << deviation->why;
    }
  }

  YAML::Node facts_;
};

TEST_P(ProfileFactsTest, ValuesAgree) {
  size_t compared = 0;
  for (const Row& row : kRows) {
    const YAML::Node fact = At(facts_, row.facts);
    if (!fact.IsDefined()) continue;
    ++compared;
    judge(row.facts, complaint(machine_, row, fact));
  }
  EXPECT_GT(compared, std::size(kRows) * (GetParam().partial ? 1 : 3) / 4) << "the facts have other names now";
}

TEST_P(ProfileFactsTest, NoFactIsOverlooked) {
  std::vector<std::string> paths;
  collect_paths(facts_, "", paths);
  for (const std::string& path : paths) {
    if (path.ends_with(".source")) continue;
    if (const YAML::Node fact = At(facts_, path); fact.IsScalar() && is_unknown(fact.Scalar())) continue;
    const auto covers = [&path](const auto& entry) { return is_within(path, entry.facts); };
    EXPECT_TRUE(std::ranges::any_of(kRows, covers) || std::ranges::any_of(kElsewhere, covers) ||
                std::ranges::any_of(kNotCompared, covers))
        << path << " is compared nowhere; name it in a table";
  }
}

TEST_P(ProfileFactsTest, SupportedClocks) {
  const std::vector<ClockList> lists = supported_clocks(machine_);
  const YAML::Node known = At(facts_, "clocks.supported");
  EXPECT_EQ(lists.size(), known.size());
  for (const ClockList& list : lists) {
    const YAML::Node fact = known[std::to_string(list.memory) + " MHz"];
    ASSERT_TRUE(fact.IsDefined()) << list.memory << " MHz is not known";
    EXPECT_EQ(list.graphics.front(), fact["max"].as<int64_t>()) << list.memory;
    EXPECT_EQ(list.graphics.back(), fact["min"].as<int64_t>()) << list.memory;
    EXPECT_EQ(list.graphics.size(), fact["count"].as<size_t>()) << list.memory;
    std::set<int64_t> steps;
    for (size_t i = 1; i < list.graphics.size(); ++i) steps.insert(list.graphics[i - 1] - list.graphics[i]);
    const auto known_steps = fact["steps"].as<std::vector<int64_t>>();
    EXPECT_EQ(steps, std::set(known_steps.begin(), known_steps.end())) << list.memory;
  }
}

TEST_P(ProfileFactsTest, ComputeCapability) {
  EXPECT_EQ(*machine_.text("compute_capability.major") + "." + *machine_.text("compute_capability.minor"),
            At(facts_, "compute.capability").Scalar());
}

TEST_P(ProfileFactsTest, BusIds) {
  if (!At(facts_, "pcie.bus_ids").IsDefined()) GTEST_SKIP() << "no capture tells the bus ids of one machine";
  const auto known = At(facts_, "pcie.bus_ids").as<std::vector<std::string>>();
  const bool same = machine_.bus_ids() == known;
  judge("pcie.bus_ids", same ? std::nullopt : std::optional<std::string>("the bus ids differ"));
}

TEST_P(ProfileFactsTest, IdleMargin) {
  const YAML::Node known = At(facts_, "thermal_c.idle_temp_plus_tlimit");
  const std::optional<int64_t> margin = machine_.number("thermal.tlimit_c");
  ASSERT_EQ(margin.has_value(), known.IsDefined()) << "either both know a margin or none";
  if (!margin) return;
  const auto sums = known.as<std::vector<int64_t>>();
  EXPECT_NE(std::ranges::find(sums, machine_.required("thermal.temperature_gpu_c") + *margin), sums.end());
}

TEST_P(ProfileFactsTest, MigGpuInstances) {
  int64_t most = 0;
  for (const YAML::Node& profile : At(facts_, "mig.profiles")) {
    most = std::max(most, profile["instances"].as<int64_t>());
  }
  EXPECT_EQ(machine_.number("mig.max_gpu_instances").value_or(0), most);
}

INSTANTIATE_TEST_SUITE_P(All, ProfileFactsTest, testing::ValuesIn(kProfiles), name_of);

}  // namespace
