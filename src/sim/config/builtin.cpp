#include "sim/config/builtin.hpp"

#include <vector>

namespace nvmlkit::sim {

std::string_view builtin_machine_text(std::string_view name) {
  for (const auto& machine : list_builtin_machines())
    if (machine.name == name) return machine.text;
  return {};
}

Problem unknown_machine(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& machine : list_builtin_machines()) names.push_back(machine.name);
  return unknown_name("machine", name, names);
}

}  // namespace nvmlkit::sim
