// nvmlkit vgpu: the word above create, list and destroy.
#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command vgpu_command() { return {.name = "vgpu", .summary = "Make, list and destroy vGPUs", .group = Group::up}; }

}  // namespace nvmlkit::cli
