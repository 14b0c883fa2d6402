// What a machine was made from: the machine, and what the variables and options said beside it. A driver root keeps it
// beside the state, and learns by it whether the same settings are given once more.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/config/environment.hpp"

namespace nvmlkit::cli {

class MachineSettings {
 public:
  // Of the machine that the environment asks for. A machine file counts by its content, too.
  static MachineSettings of(const sim::Environment& environment);

  // Did a variable or an option say anything? Else it is the default machine.
  bool given() const { return given_; }

  // As a file has them.
  std::string text() const;

  // What was otherwise when a machine was made, for people: "machine 'a100' (now 'h100')". Empty when nothing was.
  // `text` is that of the file; none means that nobody knows.
  std::string difference_to(const std::optional<std::string>& text) const;

 private:
  std::map<std::string, std::string> values_;  // quoted
  bool given_ = false;
};

}  // namespace nvmlkit::cli
