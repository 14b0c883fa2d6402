// How a node shows others that it is ready.
#pragma once

#include <filesystem>

namespace nvmlkit::node {

// Sends a state, such as READY=1, to the socket that NOTIFY_SOCKET names, as sd_notify(3) does. Nothing where it names
// none, or where nobody listens.
void notify(const char* state);

// A file with the number of this process, whole at any time. Throws std::filesystem::filesystem_error.
void write_ready_file(const std::filesystem::path& path);

}  // namespace nvmlkit::node
