// Reads the records of a run while its program writes them.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "sanitize/finding.hpp"

namespace nvmlkit::cli {

class SanitizeReader {
 public:
  // Calls `take` for each record, in a thread of its own.
  SanitizeReader(std::string path, std::function<void(const sanitize::Finding&)> take);
  // Until all that is there was read.
  void end();
  ~SanitizeReader() { end(); }
  SanitizeReader(const SanitizeReader&) = delete;
  SanitizeReader& operator=(const SanitizeReader&) = delete;

 private:
  void read_on();

  const std::string path_;
  const std::function<void(const sanitize::Finding&)> take_;
  int file_ = -1;
  std::string left_;  // of a record that is not whole yet
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace nvmlkit::cli
