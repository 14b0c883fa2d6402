#include "cli/selector.hpp"

#include "cli/state.hpp"
#include "sim/state/file.hpp"
#include "sim/steering/selector.hpp"

namespace nvmlkit::cli {

using sim::Machine;

std::unique_ptr<Machine> machine_of(const std::string& state) {
  const auto path = find_state(state);
  if (!path) throw Refused(path.error());
  std::string error;
  auto machine = sim::state::attach(*path, error);
  if (!machine) throw Refused(error);
  return machine;
}

std::vector<std::size_t> select(const Machine& machine, const std::string& selector) {
  std::string error;
  auto out = sim::select_gpus(machine, selector, error);
  if (out.empty()) throw Refused(error);
  return out;
}

}  // namespace nvmlkit::cli
