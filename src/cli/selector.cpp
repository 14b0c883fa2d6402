#include "cli/selector.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "cli/state.hpp"
#include "sim/config/suggest.hpp"
#include "sim/model/pci_bus_id.hpp"
#include "sim/state/file.hpp"

namespace nvmlkit::cli {

using sim::Machine;
using sim::config::quote;

std::unique_ptr<Machine> machine_of(const std::string& state) {
  const auto path = find_state(state);
  if (!path) throw Refused(path.error());
  std::string error;
  auto machine = sim::state::attach(*path, error);
  if (!machine) throw Refused(error);
  return machine;
}

std::vector<std::size_t> select(const Machine& machine, const std::string& selector) {
  constexpr std::string_view prefix = "gpu=";
  const auto gpus = machine.gpus();
  if (!selector.starts_with(prefix))
    throw Refused("expected gpu=INDEX, gpu=UUID, gpu=BUS-ID or gpu=all, got " + quote(selector));
  const std::string wanted = selector.substr(prefix.size());
  const auto bus_id = sim::model::parse_pci_bus_id(wanted);
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool number = !wanted.empty() && problem == std::errc() && end == wanted.data() + wanted.size();
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto& gpu = gpus[i];
    if (wanted == "all" || (number && index == i) || (gpu.uuid && gpu.uuid->view() == wanted) ||
        (!number && bus_id && gpu.pci.bus_id && *gpu.pci.bus_id == *bus_id))
      out.push_back(i);
  }
  if (out.empty()) throw Refused(fmt::format("no GPU {}; the machine has {}", quote(wanted), gpus.size()));
  return out;
}

}  // namespace nvmlkit::cli
