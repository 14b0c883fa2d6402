#include "root/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "kernel_log/switch_errors.hpp"
#include "root/driver_state.hpp"
#include "root/imex.hpp"
#include "root/pci.hpp"
#include "root/pci_devices.hpp"

namespace nvmlkit::root {
namespace {

using sim::model::FabricState;
using sim::model::Gpu;

constexpr std::string_view kConfiguration[] = {
    "Fabric Mode = 0",
    "Fabric Mode Restart = 0",
    "Continue to run when facing failures = 0",
    "Abort CUDA jobs when FM exits = 1",
    "FM Library communication bind interface = 127.0.0.1",
    "Disabling RPC mode for single node configuration.",
};
constexpr std::string_view kDone =
    "Successfully configured all the available GPUs and NVSwitches to route NVLink traffic. NVLink Peer-to-Peer "
    "support "
    "will be enabled once the GPUs are successfully registered with the NVLink fabric.";

bool leads_to_switch(const Gpu& gpu) {
  const auto& links = gpu.links.links;
  return std::any_of(std::begin(links), std::end(links),
                     [](const sim::links::Link& link) { return link.remote == sim::links::Remote::nvswitch; });
}

// GPUs before Hopper register with nobody, and tell no state.
bool is_registered(const Gpu& gpu) {
  return gpu.fabric.state.value_or(FabricState::completed) == FabricState::completed;
}

std::string text_of(std::time_t seconds) {
  std::tm time{};
  gmtime_r(&seconds, &time);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%b %d %Y %H:%M:%S", &time);
  return text.data();
}

// When the host was started, to the second: the difference of its clocks is never the same twice to the nanosecond.
std::time_t start_of_host() {
  constexpr std::int64_t kSecond = 1'000'000'000;  // in nanoseconds
  std::timespec real{}, uptime{};
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_BOOTTIME, &uptime);
  const auto since = (real.tv_sec - uptime.tv_sec) * kSecond + real.tv_nsec - uptime.tv_nsec;
  return (since + kSecond / 2) / kSecond;
}

std::string long_bus_id(const sim::model::PciBusId& id) {
  std::array<char, 20> text{};
  return std::string(sim::model::format_pci_bus_id(id, 8, text.data()));
}

// The fabric manager reads what the switches' driver logs. `fid` is the host's number in a fabric of several.
void add_switch_errors(std::string& out, const sim::Machine& machine) {
  for (const auto& error : kernel_log::switch_errors(machine))
    out += fmt::format(
        "[{}] [ERROR] [tid 1584] detected NVSwitch {} error {} on fid 0 on NVSwitch pci bus id {} physical id {} port "
        "{}\n",
        text_of(start_of_host() + static_cast<std::time_t>(error.uptime_us / 1'000'000)),
        error.fatal ? "fatal" : "non-fatal", error.number, long_bus_id(error.place), error.nvswitch, error.port);
}

std::string log_of(const sim::Machine& machine) {
  std::string out;
  // The machine's time began when its host did.
  const auto line = [&, start = text_of(machine.host().clock.epoch_ns / 1'000'000'000)](std::string_view text) {
    out += fmt::format("[{}] [INFO] [tid 1584] {}\n", start, text);
  };
  for (const auto text : kConfiguration) line(text);
  const auto gpus = machine.gpus();
  if (std::all_of(gpus.begin(), gpus.end(), is_registered)) line(kDone);
  add_switch_errors(out, machine);
  return out;
}

}  // namespace

std::vector<sim::model::PciBusId> visible_switches(const sim::Machine& machine) {
  std::vector<sim::model::PciBusId> out;
  for (const auto& device : pci_devices(machine))
    if (device.driver == "nvidia-nvswitch") out.push_back(device.id);
  return out;
}

bool has_fabric_manager(const sim::Machine& machine) {
  const auto gpus = machine.gpus();
  return std::any_of(gpus.begin(), gpus.end(), leads_to_switch) && !shares_memory(machine);
}

void add_fabric(Tree& tree, const sim::Machine& machine) {
  if (is_driver_loaded(machine)) {
    const Place switches(tree, "proc/driver/nvidia-nvswitch");
    switches.add("permissions", "DeviceFileMode: 438");
    tree[switches.below("devices").path()] = Directory{0555};
    for (const auto& id : visible_switches(machine))
      switches.below("devices").below(kernel_bus_id(id)).add("information", "BIOS Version: N/A");
  }
  if (!has_fabric_manager(machine)) return;
  tree["run/nvidia-fabricmanager"] = Directory{};
  const auto gpus = machine.gpus();
  const bool not_started = std::all_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) {
    return gpu.fabric.state.value_or(FabricState::completed) == FabricState::not_started;
  });
  if (!not_started) tree["var/log/fabricmanager.log"] = Text{log_of(machine), 0644};
}

}  // namespace nvmlkit::root
