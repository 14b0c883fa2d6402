// Recordings as files of a command line, and recordings that a command makes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "metrics/recorder.hpp"
#include "recording/recording.hpp"

namespace nvmlkit::cli {

// A recording, whole.
std::string read_all(const std::string& path);

// The files to read: FILE..., --interval and --host.
class RecordedFiles {
 public:
  void declare(Arguments& arguments);
  // All of them together, in order, and a line for each: its format.
  recording::Recording read(std::vector<std::string>& formats) const;

 private:
  std::vector<std::string> files_;
  std::string interval_, host_;
};

// --record and --every.
class RecordOptions {
 public:
  void declare(Arguments& arguments);
  bool given() const { return !file_.empty(); }
  std::int64_t every_ns() const;
  // Writes what the recorder has.
  void write(const metrics::Recorder& recorder) const;

 private:
  std::string file_, every_;
};

}  // namespace nvmlkit::cli
