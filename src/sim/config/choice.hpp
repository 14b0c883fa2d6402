// Which machine an environment asks for. The only reader of the variables that load_machine() lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/config/environment.hpp"

namespace nvmlkit::sim::config {

// The text of a variable that is set.
struct Setting {
  const char* variable;
  std::string text;
};

struct Choice {
  enum class Source : std::uint8_t { state_file, machine_file, builtin };
  Source source = Source::builtin;
  std::string name;  // a path, or the name of a built-in machine
  std::optional<Setting> gpu_count{};
  std::optional<Setting> driver{};       // a version or a branch
  std::optional<Setting> any_version{};  // a version of any form, if `driver` is not set
  std::optional<Setting> pace{};
  std::optional<Setting> seed{};  // of the identities of the GPUs
};

Choice choose(const Environment& environment);

// Does a variable name a machine? The others change the machine that is named, or the default one.
bool names_machine(const Environment& environment);

}  // namespace nvmlkit::sim::config
