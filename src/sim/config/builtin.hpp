// The built-in machines: profiles/*.yaml, embedded at build time.
#pragma once

#include <span>
#include <string_view>

#include "sim/problem/problem.hpp"

namespace nvmlkit::sim {

struct BuiltinMachine {
  std::string_view name;
  std::string_view text;
};

// In the order of their names.
std::span<const BuiltinMachine> list_builtin_machines();

// The YAML of a machine; empty when there is none of that name.
std::string_view builtin_machine_text(std::string_view name);

// What to say of a name that there is none of.
Problem unknown_machine(std::string_view name);

}  // namespace nvmlkit::sim
