#include "sim/config/builtin.hpp"

#include <vector>

namespace nvmlkit::sim {

Problem unknown_machine(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& machine : list_builtin_machines()) names.push_back(machine.name);
  return unknown_name("machine", name, names);
}

}  // namespace nvmlkit::sim
