// The lines of NCCL_DEBUG, in the form that readers of NCCL's logs know, and the text of the last error.
#pragma once

#include <string>

namespace nvmlkit::nccl::log {

enum class Level { none, version, warn, info, trace };

// NCCL_DEBUG and NCCL_DEBUG_FILE are read at the first line, and again after a reset.
Level level();
void reset();

// HOST:PID:TID [GPU] NCCL INFO TEXT
void info(int device, const char* format, ...) __attribute__((format(printf, 2, 3)));
// The same with WARN, and kept as the last error of the process.
void warn(int device, const char* format, ...) __attribute__((format(printf, 2, 3)));
// A mismatch that would be a hang: a line on stderr, whatever the level.
void complain(int device, const std::string& text);
// Once in a process.
void version();

std::string last_error();
std::string host_name();

}  // namespace nvmlkit::nccl::log
