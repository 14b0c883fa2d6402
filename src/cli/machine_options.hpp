// The options that say which machine a command is about: the same for every command.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "cli/machine.hpp"

namespace nvmlkit::cli {

// -m, -c, -n, --driver: a machine to make.
class NewMachineOptions {
 public:
  // Returns -m, -c and -n, which another group of options may exclude.
  std::vector<Declared> declare(Arguments& arguments);
  MachineChoice choice() const;

 private:
  std::string machine_, file_, driver_;
  std::optional<std::uint32_t> count_;
};

// --name, --state: a machine that is up.
class UpMachineOptions {
 public:
  std::vector<Declared> declare(Arguments& arguments);

  bool given() const { return !name_.empty() || !state_.empty(); }
  const std::string& name() const { return name_; }
  // The state file: of the options, else of NVMLKIT_STATE, else the user's own. It need not be there.
  std::string path() const;
  // The same; refuses where there is no file, and names the machines that are up.
  std::string existing_path() const;

 private:
  std::string name_, state_;
};

// Both: a machine that is up, or one to make.
class MachineOptions {
 public:
  void declare(Arguments& arguments);

  MachineChoice choice() const { return made_.choice(); }
  // Does an option ask for a machine?
  bool given() const;
  // The state file of the machine that is up, where it is that one; refuses -n with it.
  std::optional<std::string> state() const;
  // Puts what was chosen into the environment, where the driver library looks for it.
  void export_all() const;

 private:
  NewMachineOptions made_;
  UpMachineOptions up_;
};

}  // namespace nvmlkit::cli
