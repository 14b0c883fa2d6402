// Constraints between the GPUs and their surroundings: confidential computing, S-class units, excluded GPUs.
#include <algorithm>
#include <string>

#include "sim/config/check.hpp"
#include "sim/problem/names.hpp"

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

Expected<void> check_conf_compute(const Layers& layers, const Machine& machine) {
  const auto& settings = machine.system().conf_compute;
  const bool protects = settings.multi_gpu_mode && *settings.multi_gpu_mode != model::ConfComputeMultiGpuMode::none;
  const bool enabled = settings.feature && *settings.feature == model::EnableState::enabled;
  const bool capable = std::any_of(machine.gpus().begin(), machine.gpus().end(), [](const model::Gpu& gpu) {
    return gpu.features.confidential_compute.value_or(false);
  });
  if (capable || !(enabled || protects)) return {};
  const char* key = enabled ? "feature" : "multi_gpu_mode";
  return fail(contradiction("needs a GPU with features.confidential_compute: true")
                  .of_field(std::string("system.conf_compute.") + key)
                  .at(stated(layers, {"system", "conf_compute", key}).place()));
}

Expected<void> check_units(const Layers& layers, const Machine& machine) {
  std::uint32_t unit = 0;
  for (const auto& listed : machine.host().units.span()) {
    for (const auto gpu : listed.gpus.span())
      if (gpu >= machine.gpus().size()) {
        auto problem = contradiction("indexes below " + std::to_string(machine.gpus().size()), std::to_string(gpu))
                           .of_item("units", unit)
                           .at(stated(layers, {"units"}).place());
        problem.part.back().key = "gpus";
        return fail(std::move(problem));
      }
    ++unit;
  }
  return {};
}

Expected<void> check_excluded(const Layers& layers, const Machine& machine) {
  for (const auto& excluded : machine.host().excluded_gpus.span())
    for (const auto& gpu : machine.gpus())
      if (excluded.bus_id && gpu.pci.bus_id && *excluded.bus_id == *gpu.pci.bus_id) {
        char text[24];
        return fail(contradiction("a GPU of the machine has the PCI address " +
                                  quote(std::string(model::format_pci_bus_id(*gpu.pci.bus_id, 4, text))))
                        .of_field("excluded_gpus")
                        .at(stated(layers, {"excluded_gpus"}).place()));
      }
  return {};
}

}  // namespace

Expected<void> check_equipment(const Layers& layers, const Machine& machine) {
  if (auto good = check_conf_compute(layers, machine); !good) return good;
  if (auto good = check_units(layers, machine); !good) return good;
  return check_excluded(layers, machine);
}

}  // namespace nvmlkit::sim::config
