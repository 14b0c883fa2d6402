// The commands of nvidia-cuda-mps-control.
#pragma once

#include <string>
#include <string_view>

namespace nvmlkit::mps {

class Daemon;
struct Peer;

// What the command prints. The answer to `quit` is the end of the daemon.
std::string answer_to(std::string_view line, Daemon& daemon, Peer& asking);

}  // namespace nvmlkit::mps
