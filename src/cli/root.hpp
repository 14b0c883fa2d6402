// A driver root: the files of a driver with a machine behind it, and a CDI specification.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/machine_options.hpp"
#include "cli/permissions.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

struct RootOptions {
  MachineOptions machine;
  PermissionOptions permissions;
  std::string folder;
  std::string nvidia_smi;  // empty: the one in PATH, where there is one
  bool chroot = false;     // with what programs in it need of this host
  std::string cdi_version = "0.6.0";
  std::string cdi_kind = "nvidia.com/gpu";
  std::string cdi_folder;  // of a runtime, which gets the specification, too; empty: none
  bool cdi_hook = false;   // containers are processes on their GPUs
  std::string container_memory, container_load;
};

// The options of `nvmlkit root`, which `nvmlkit node` has too.
void declare_root(Arguments& arguments, RootOptions& options);

// What becomes of a machine of the root's own that is there.
enum class OwnMachine : std::uint8_t {
  replaced,
  kept_if_same,  // unless options or variables ask for another machine than it was made from
  kept,
};

// The machine is the one that is up, where there is one and no option asks for another.
class DriverRoot {
 public:
  // Checks everything before it writes anything. Throws CommandError and std::filesystem::filesystem_error.
  DriverRoot(const RootOptions& options, OwnMachine own);
  ~DriverRoot();

  const std::filesystem::path& path() const;
  // The state file of the machine.
  std::filesystem::path state() const;
  // The folder of the root's state file or of its link, for what a node remembers.
  std::filesystem::path state_folder() const;
  // Makes the state file and its links.
  void put_state();
  // The machine before put_state(), which makes the state file from the same options.
  const sim::Machine& machine() const { return *machine_; }

  // Makes every file true. Returns those that could not be made; the next update tries them again.
  std::vector<std::filesystem::filesystem_error> update(const sim::Machine& machine);
  // The next update looks at every file.
  void distrust();
  // Removes all of it.
  void remove();

  // What was made, for people.
  void print(const sim::Machine& machine) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<sim::Machine> machine_;
};

void lay_out_root(const RootOptions& options);

}  // namespace nvmlkit::cli
