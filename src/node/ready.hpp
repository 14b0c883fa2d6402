// How a node shows others that it is ready.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace nvmlkit::node {

// Sends a state, such as READY=1, to the socket that NOTIFY_SOCKET names, as sd_notify(3) does. Nothing where it names
// none, or where nobody listens.
void notify(const char* state);

// A file with the number of this process, whole at any time. Throws std::filesystem::filesystem_error.
void write_ready_file(const std::filesystem::path& path);

// The same file with the line of a problem in place of the number: this process is not ready. Throws as above.
void write_problem_file(const std::filesystem::path& path, const std::string& line);

struct Readiness {
  pid_t process = 0;    // 0: none is ready
  std::string problem;  // why not, where that is known
};
Readiness read_ready_file(const std::filesystem::path& path);

}  // namespace nvmlkit::node
