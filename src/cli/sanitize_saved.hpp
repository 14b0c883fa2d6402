// What `nvmlkit sanitize --save` writes for `--read`: a run, with all that its report is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sanitize/options.hpp"

namespace nvmlkit::sanitize {
struct Finding;
}

namespace nvmlkit::cli {

class SanitizeReport;
class Suppressions;

class SavedRun {
 public:
  SavedRun() = default;
  SavedRun(const sanitize::Options& checks, const std::string& program);
  // Throws CommandError where the file is none.
  static SavedRun read(const std::string& path);

  // In the order in which the report gets them.
  void add_run(std::uint64_t seed);
  void add(const sanitize::Finding& finding);
  void add_lines(const std::vector<std::string>& lines);
  void end(int status);

  const std::string& text() const { return text_; }
  const sanitize::Options& checks() const { return checks_; }
  const std::string& program() const { return program_; }
  // Hands all of it to a report that has begun, but for findings that are suppressed.
  void replay(SanitizeReport& report, const Suppressions& suppressions) const;

 private:
  std::string text_, program_;
  sanitize::Options checks_;
};

// A name of a file, with %p for the process, %q{NAME} for a variable and %% in it. Refuses other characters behind %.
std::string expanded_path(const std::string& option, const std::string& path);

}  // namespace nvmlkit::cli
