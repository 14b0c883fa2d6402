// A new process of nvidia-cuda-mps-server.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace nvmlkit::mps {

// The descriptors of the server's ends, which the daemon passes to it.
inline constexpr int kReadyEnd = 3, kLifelineEnd = 4;

struct Started {
  pid_t pid;
  int ready;     // a byte arrives once the server holds its GPUs, or its end
  int lifeline;  // the server ends when this is closed
};

// The server's program lists the driver's GPUs on its standard output and ends.
inline constexpr const char* kListOption = "--list-gpus";
// Nothing if it fails.
std::optional<std::string> list_gpus(const std::string& program);

// As the user, if the daemon may become any.
std::optional<Started> spawn_server(const std::string& program, uid_t user);

}  // namespace nvmlkit::mps
