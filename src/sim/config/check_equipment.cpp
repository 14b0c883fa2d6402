// Constraints between the GPUs and their surroundings: confidential computing, S-class units, excluded GPUs.
#include <algorithm>
#include <string>

#include "sim/config/check.hpp"
#include "sim/config/suggest.hpp"

namespace nvmlkit::sim::config {
namespace {

using Keys = std::initializer_list<std::string_view>;

// The place of the key in the newest layer that has it; without one, the root of that layer.
Node stated(const Layers& layers, Keys keys) {
  for (auto layer = layers.all().rbegin(); layer != layers.all().rend(); ++layer) {
    Node node = layer->root;
    for (const auto key : keys) node = node ? node.find(key) : Node();
    if (node) return node;
  }
  return layers.all().back().root;
}

void check_conf_compute(const Layers& layers, const Machine& machine) {
  const auto& settings = machine.system().conf_compute;
  const bool protects = settings.multi_gpu_mode && *settings.multi_gpu_mode != model::ConfComputeMultiGpuMode::none;
  const bool enabled = settings.feature && *settings.feature == model::EnableState::enabled;
  const bool capable = std::any_of(machine.gpus().begin(), machine.gpus().end(), [](const model::Gpu& gpu) {
    return gpu.features.confidential_compute.value_or(false);
  });
  if (capable || !(enabled || protects)) return;
  const char* key = enabled ? "feature" : "multi_gpu_mode";
  stated(layers, {"system", "conf_compute", key})
      .fail(std::string("system.conf_compute.") + key + ": needs a GPU with features.confidential_compute: true");
}

void check_units(const Layers& layers, const Machine& machine) {
  std::size_t unit = 0;
  for (const auto& listed : machine.host().units.span()) {
    for (const auto gpu : listed.gpus.span())
      if (gpu >= machine.gpus().size())
        stated(layers, {"units"})
            .fail("units[" + std::to_string(unit) + "].gpus: expected indexes below " +
                  std::to_string(machine.gpus().size()) + ", got " + std::to_string(gpu));
    ++unit;
  }
}

void check_excluded(const Layers& layers, const Machine& machine) {
  for (const auto& excluded : machine.host().excluded_gpus.span())
    for (const auto& gpu : machine.gpus())
      if (excluded.bus_id && gpu.pci.bus_id && *excluded.bus_id == *gpu.pci.bus_id) {
        char text[24];
        stated(layers, {"excluded_gpus"})
            .fail("excluded_gpus: a GPU of the machine has the PCI address " +
                  quote(std::string(model::format_pci_bus_id(*gpu.pci.bus_id, 4, text))));
      }
}

}  // namespace

void check_equipment(const Layers& layers, const Machine& machine) {
  check_conf_compute(layers, machine);
  check_units(layers, machine);
  check_excluded(layers, machine);
}

}  // namespace nvmlkit::sim::config
