// The built-in machines: profiles/*.yaml, embedded at build time.
#pragma once

#include <span>
#include <string_view>

namespace nvmlkit::sim {

struct BuiltinMachine {
  std::string_view name;
  std::string_view text;
};

// In the order of their names.
std::span<const BuiltinMachine> list_builtin_machines();

// The YAML of a machine; empty when there is none of that name.
std::string_view builtin_machine_text(std::string_view name);

}  // namespace nvmlkit::sim
