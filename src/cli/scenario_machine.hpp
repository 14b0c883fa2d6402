// The machine that a scenario runs on or is checked with: one that is up, or one of this process alone.
#pragma once

#include <memory>
#include <string>

#include "cli/machine_options.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

class ScenarioMachineOptions {
 public:
  void declare(Arguments& arguments);

  // Does an option ask for a machine of this process's own?
  bool own() const;
  std::unique_ptr<sim::Machine> own_machine() const;
  // The machine that is up.
  std::unique_ptr<sim::Machine> up_machine() const;

 private:
  NewMachineOptions made_;
  UpMachineOptions up_;
};

}  // namespace nvmlkit::cli
