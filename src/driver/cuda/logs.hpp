// The log of errors: what the driver prints on stderr, kept for programs that ask for it.
#pragma once

#include <string>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda::logs {

// Prints the line, keeps it and hands it to who registered for lines. No lock of the caller may be held that a callback
// could want.
void report(const std::string& line);

CUlogsCallbackHandle add(CUlogsCallback callback, void* data);
bool remove(CUlogsCallbackHandle handle);

// The number that the next line will have.
CUlogIterator end();

struct Lines {
  std::string text;  // each ends with a newline
  CUlogIterator next = 0;
  bool is_complete = true;  // false: older ones were asked for that are kept no longer, or had no room
};
// The lines from a number on. Where they have more than `most` bytes, the newest of them, behind a line that says so.
Lines from(CUlogIterator first, std::size_t most);

}  // namespace nvmlkit::cuda::logs
