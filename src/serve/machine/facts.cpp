#include "serve/machine/facts.hpp"

#include <cstring>
#include <string>

#include "serve/machine/measures.hpp"
#include "sim/faults/kinds.hpp"
#include "sim/generated/model.hpp"
#include "sim/mig/profiles.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/state/follow.hpp"
#include "sim/steering/common_faults.hpp"

namespace nvmlkit::serve {
namespace {

using Json = nlohmann::ordered_json;
using sim::model::Gpu;

std::string text_of_field(const auto& field) { return field ? std::string(field->view()) : ""; }

template <class T>
Json json_of_field(const sim::model::Field<T>& field) {
  return field ? Json(*field) : Json();
}

Json thousandth(const sim::model::Field<std::uint32_t>& field) {
  return field ? Json(static_cast<double>(*field) / 1000) : Json();
}

std::string bus_id_of(const Gpu& gpu) {
  char buffer[24];
  return gpu.pci.bus_id ? std::string(sim::model::format_pci_bus_id(*gpu.pci.bus_id, 8, buffer)) : "";
}

Json facts_of_gpu(const Gpu& gpu, std::size_t index) {
  return {
      {"index", index},
      {"name", text_of_field(gpu.name)},
      {"uuid", text_of_field(gpu.uuid)},
      {"bus_id", bus_id_of(gpu)},
      {"memory_mib", gpu.memory.total_bytes ? Json(*gpu.memory.total_bytes >> 20) : Json()},
      {"power_min", thousandth(gpu.power.min_limit_mw)},
      {"power_max", thousandth(gpu.power.max_limit_mw)},
      {"temperature_slowdown", json_of_field(gpu.thermal.slowdown_threshold_c)},
      {"temperature_shutdown", json_of_field(gpu.thermal.shutdown_threshold_c)},
      {"sm_clock_max", gpu.clocks.sm_max ? json_of_field(gpu.clocks.sm_max) : json_of_field(gpu.clocks.graphics_max)},
      {"memory_clock_max", json_of_field(gpu.clocks.memory_max)},
      {"links", gpu.links.count},
      {"mig", sim::mig::supported(gpu)}};
}

Json facts_of_measures() {
  auto out = Json::array();
  for (const auto& measure : measures())
    out.push_back({{"name", measure.name}, {"unit", measure.unit}, {"help", measure.help}});
  out.push_back({{"name", "memory_used"}, {"unit", "MiB"}, {"help", "Memory in use"}});
  out.push_back({{"name", "nvlink"}, {"unit", "MB/s"}, {"help", "Sent over NVLink"}});
  return out;
}

Json facts_of_faults() {
  auto kinds = Json::array();
  for (const auto* kind : sim::faults::kinds()) kinds.push_back({{"name", kind->name}, {"usage", kind->usage}});
  return kinds;
}

}  // namespace

nlohmann::ordered_json facts_of(const sim::Machine& machine) {
  const auto copy = sim::Machine::create(machine.gpus().size());
  if (!copy || !sim::state::copy_now(machine, *copy)) return {};
  auto gpus = Json::array();
  for (std::size_t i = 0; i < copy->gpus().size(); ++i) gpus.push_back(facts_of_gpu(copy->gpus()[i], i));
  const auto& header = machine.header();
  return {{"version", NVMLKIT_VERSION},
          {"machine", std::string(header.origin, strnlen(header.origin, sizeof header.origin))},
          {"driver", text_of_field(copy->system().driver_version)},
          {"cuda", text_of_field(copy->system().cuda_version)},
          {"read_only", machine.access() == sim::Access::read_only},
          {"gpus", gpus},
          {"measures", facts_of_measures()},
          {"slowdown_reasons", slowdown_reasons()},
          {"fault_kinds", facts_of_faults()},
          {"common_faults", sim::steering::common_faults()}};
}

}  // namespace nvmlkit::serve
