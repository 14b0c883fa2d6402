// The log of a library that logs nothing.
#pragma once

#include <cstdio>

namespace nvmlkit::libraries {

// Makes the file that a program names for it, as NVIDIA's libraries do. No name is no file, and fine.
inline bool makes_log_file(const char* path) {
  if (!path) return true;
  auto* const file = std::fopen(path, "a");
  if (file) std::fclose(file);
  return file;
}

}  // namespace nvmlkit::libraries
