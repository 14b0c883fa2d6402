#include "sim/steering/selector.hpp"

#include <charconv>

#include "sim/config/suggest.hpp"
#include "sim/model/pci_bus_id.hpp"

namespace nvmlkit::sim {

std::vector<std::size_t> select_gpus(const Machine& machine, std::string_view selector, std::string& error) {
  constexpr std::string_view kPrefix = "gpu=";
  std::vector<std::size_t> out;
  if (!selector.starts_with(kPrefix)) {
    error = "expected gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all, got " + config::quote(selector);
    return out;
  }
  const std::string wanted(selector.substr(kPrefix.size()));
  const auto bus_id = model::parse_pci_bus_id(wanted);
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool number = !wanted.empty() && problem == std::errc() && end == wanted.data() + wanted.size();
  const auto gpus = machine.gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto& gpu = gpus[i];
    if (wanted == "all" || (number && index == i) || (gpu.uuid && gpu.uuid->view() == wanted) ||
        (!number && bus_id && gpu.pci.bus_id && *gpu.pci.bus_id == *bus_id))
      out.push_back(i);
  }
  if (out.empty()) error = "no GPU " + config::quote(wanted) + "; the machine has " + std::to_string(gpus.size());
  return out;
}

}  // namespace nvmlkit::sim
