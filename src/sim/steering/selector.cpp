#include "sim/steering/selector.hpp"

#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim {

Expected<std::vector<std::size_t>> select_gpus(const Machine& machine, std::string_view selector) {
  constexpr std::string_view kPrefix = "gpu=";
  if (!selector.starts_with(kPrefix))
    return fail(wrong_value("gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all", quote(selector)));
  const std::string wanted(selector.substr(kPrefix.size()));
  const auto bus_id = model::parse_pci_bus_id(wanted);
  const auto index = text::number_of<std::size_t>(wanted);
  const auto gpus = machine.gpus();
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto& gpu = gpus[i];
    if (wanted == "all" || index == i || (gpu.uuid && gpu.uuid->view() == wanted) ||
        (!index && bus_id && gpu.pci.bus_id && *gpu.pci.bus_id == *bus_id))
      out.push_back(i);
  }
  if (!out.empty()) return out;
  return fail({.kind = ProblemKind::unknown_name,
               .what = "no GPU " + quote(wanted),
               .hint = "the machine has " + std::to_string(gpus.size())});
}

}  // namespace nvmlkit::sim
