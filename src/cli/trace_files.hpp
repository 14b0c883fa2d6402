// Recordings of calls that commands read.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "trace/recording.hpp"
#include "trace/summary.hpp"

namespace nvmlkit::cli {

// Files of recordings in a folder, the oldest first.
std::vector<std::string> recordings_in(const std::string& folder);

// The path itself, or the only recording in the folder of that name. With several, the one of `program` (its file name
// begins with it); refuses where that leaves none or several.
std::string recording_path(const std::string& path, const std::string& program = {});

trace::Recording open_recording(const std::string& path);

// --function, --failed, --thread.
class TraceFilterOptions {
 public:
  void declare(Arguments& arguments);
  trace::Filter filter() const { return filter_; }

 private:
  trace::Filter filter_;
};

// "2026-11-23 18:05:02.123456" in UTC.
std::string wall_time(std::uint64_t ns);

// A line on stderr where calls are missing in the recording.
void say_what_is_lost(const trace::Recording& recording, const std::string& path);

}  // namespace nvmlkit::cli
