#include "sim/steering/selector.hpp"

#include <algorithm>

#include "sim/model/pci_bus_id.hpp"
#include "sim/problem/names.hpp"
#include "sim/text/numbers.hpp"

namespace nvmlkit::sim {
namespace {

// Marks the GPUs that one word means; false if there is none.
bool mark(std::span<const model::Gpu> gpus, const std::string& wanted, std::vector<bool>& marked) {
  const auto bus_id = model::parse_pci_bus_id(wanted);
  const auto index = text::number_of<std::size_t>(wanted);
  bool found = false;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto& gpu = gpus[i];
    if (wanted == "all" || index == i || (gpu.uuid && gpu.uuid->view() == wanted) ||
        (!index && bus_id && gpu.pci.bus_id && *gpu.pci.bus_id == *bus_id))
      marked[i] = found = true;
  }
  return found;
}

}  // namespace

Expected<std::vector<std::size_t>> select_gpus(const Machine& machine, std::string_view selector) {
  constexpr std::string_view kPrefix = "gpu=";
  if (!selector.starts_with(kPrefix))
    return fail(wrong_value("gpu=INDEX, gpu=UUID, gpu=BUS-ID, several with commas, or gpu=all", quote(selector)));
  const auto gpus = machine.gpus();
  std::vector<bool> marked(gpus.size());
  for (auto rest = selector.substr(kPrefix.size());;) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string wanted(rest.substr(0, comma));
    if (!mark(gpus, wanted, marked))
      return fail({.kind = ProblemKind::unknown_name,
                   .what = "no GPU " + quote(wanted),
                   .hint = "the machine has " + std::to_string(gpus.size())});
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i]) out.push_back(i);
  return out;
}

}  // namespace nvmlkit::sim
