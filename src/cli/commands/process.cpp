// nvmlkit process: the word above start, end and list.
#include "cli/commands.hpp"

namespace nvmlkit::cli {

Command process_command() {
  return {.name = "process", .summary = "Start, end and list processes on GPUs", .group = Group::up};
}

}  // namespace nvmlkit::cli
