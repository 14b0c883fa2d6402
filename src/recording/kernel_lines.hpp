// Lines of the kernel log that name an Xid or the UUID of a GPU.
#pragma once

#include "recording/lines.hpp"
#include "recording/recording.hpp"

namespace nvmlkit::recording {

class KernelLines {
 public:
  explicit KernelLines(Recording& out) : out_(out) {}

  // Takes nothing of other lines.
  void take(std::string_view line);

 private:
  std::int64_t time_of_line(std::string_view line);

  Recording& out_;
  std::int64_t last_ms_ = 0;  // for lines without a time
};

// Does the line name an Xid?
bool names_xid(std::string_view line);

}  // namespace nvmlkit::recording
