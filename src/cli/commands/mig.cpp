// nvmlkit mig: the word above enable, disable, create, destroy, clear, profiles and list.
#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command mig_command() { return {.name = "mig", .summary = "Make, list and destroy MIG devices", .group = Group::up}; }

}  // namespace nvmlkit::cli
