// The ready scenarios of the folder scenarios/, embedded as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scenario/language.hpp"
#include "sim/problem/problem.hpp"

namespace nvmlkit::scenario {

struct LibraryScenario {
  std::string_view name;
  std::string_view text;  // YAML

  // The built-in machine that it is written for, from its line "# machine: NAME".
  std::string_view machine() const;
};

// By name.
std::span<const LibraryScenario> library();

// The one of this name, or a problem with the nearest one.
sim::Expected<LibraryScenario> find_in_library(std::string_view name);

// A scenario of the library where `file` is its name and no such file exists; else a file.
sim::Expected<Scenario> read_file_or_name(const std::string& file);

}  // namespace nvmlkit::scenario
