#include "root/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "root/driver_state.hpp"
#include "sim/traits/architecture.hpp"

namespace nvmlkit::root {
namespace {

struct Parameter {
  std::string_view name, value;
};

struct Module {
  std::string_view name;
  std::uint64_t size;                      // in memory
  std::vector<std::string_view> needs;     // of these modules
  std::vector<Parameter> parameters = {};  // that the kernel shows
};

bool has_adapters(const sim::Machine& machine) { return machine.host().pcie_topology.nics.count != 0; }

// The last that was loaded is the first, in all lists. Sizes are those of a driver 595. The module `nvidia` shows no
// parameter in /sys: they are in /proc/driver/nvidia/params.
std::vector<Module> driver_modules(const sim::Machine& machine) {
  if (!is_driver_loaded(machine)) return {};
  std::vector<Module> out{
      {"nvidia_uvm",
       2461696,
       {"nvidia"},
       {{"uvm_ats_mode", "1"},
        {"uvm_disable_hmm", "N"},
        {"uvm_perf_prefetch_enable", "1"},
        {"uvm_perf_prefetch_min_faults", "1"},
        {"uvm_perf_prefetch_threshold", "51"}}},
      {"nvidia_drm", 147456, {"nvidia_modeset"}, {{"fbdev", "N"}, {"modeset", "N"}}},
      {"nvidia_modeset", 2187264, {"nvidia"}},
      {"nvidia", 16297984, {}},
  };
  // Adapters read the memory of GPUs with its help. Agents look for it among the users of ib_core.
  if (has_adapters(machine)) out.insert(out.begin(), {"nvidia_peermem", 16384, {"ib_core", "nvidia"}});
  return out;
}

// Of network adapters, as NVIDIA's package of network drivers has them. The sizes differ from kernel to kernel.
std::vector<Module> adapter_modules(const sim::Machine& machine) {
  if (!has_adapters(machine)) return {};
  return {
      {"rdma_ucm", 28672, {"rdma_cm", "ib_uverbs", "ib_core"}},
      {"rdma_cm", 122880, {"iw_cm", "ib_cm", "ib_core"}},
      {"iw_cm", 53248, {"ib_core"}},
      {"ib_ipoib", 139264, {"ib_cm", "ib_core"}},
      {"ib_cm", 126976, {"ib_core"}},
      {"ib_umad", 40960, {"ib_core"}},
      {"mlx5_ib", 450560, {"ib_uverbs", "ib_core", "mlx5_core"}},
      {"ib_uverbs", 135168, {"ib_core"}},
      {"ib_core", 434176, {}},
      {"mlx5_core", 2060288, {}},
  };
}

std::vector<std::string_view> users_of(const Module& module, const std::vector<Module>& all) {
  std::vector<std::string_view> out;
  for (const auto& other : all)
    if (std::find(other.needs.begin(), other.needs.end(), module.name) != other.needs.end()) out.push_back(other.name);
  return out;
}

}  // namespace

bool has_open_modules(const sim::Machine& machine) {
  const auto gpus = machine.gpus();
  return std::any_of(gpus.begin(), gpus.end(),
                     [](const sim::model::Gpu& gpu) { return sim::is_from(gpu, sim::model::Architecture::blackwell); });
}

void add_modules(Tree& tree, const sim::Machine& machine) {
  const auto of_driver = driver_modules(machine);
  auto all = of_driver;
  for (auto& module : adapter_modules(machine)) all.push_back(std::move(module));
  const auto version = machine.system().driver_version;
  std::string list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& module = all[i];
    const bool is_drivers = i < of_driver.size();
    // Proprietary, out of tree, not signed.
    const std::string_view taint = is_drivers && !has_open_modules(machine) ? "POE" : "OE";
    const auto users = users_of(module, all);
    const auto names = users.empty() ? "-" : fmt::format("{},", fmt::join(users, ","));
    list +=
        fmt::format("{} {} {} {} Live 0x0000000000000000 ({})\n", module.name, module.size, users.size(), names, taint);
    const Place own(tree, fmt::format("sys/module/{}", module.name));
    if (version && is_drivers) own.add("version", version->view());
    own.add("initstate", "live");
    own.add("refcnt", users.size());
    own.add("coresize", module.size);
    own.add("taint", taint);
    for (const auto& parameter : module.parameters) own.below("parameters").add(parameter.name, parameter.value);
    for (const auto user : users) own.below("holders").link(user, fmt::format("sys/module/{}", user));
  }
  tree["proc/modules"] = Text{list};
  if (of_driver.empty()) return;
  const std::string driver = "sys/bus/pci/drivers/nvidia";
  Place(tree, driver).link("module", "sys/module/nvidia");
  Place(tree, "sys/module/nvidia/drivers").link("pci:nvidia", driver);
}

}  // namespace nvmlkit::root
