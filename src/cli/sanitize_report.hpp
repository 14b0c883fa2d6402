// What `nvmlkit sanitize` prints: each finding once, with the others like it counted, and a summary.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "sanitize/finding.hpp"
#include "sanitize/text.hpp"

namespace nvmlkit::cli {

class SanitizeReport {
 public:
  struct Settings {
    std::FILE* out = stdout;
    std::uint32_t print_limit = 100;  // 0: none
    std::string prefix = "=========";
    bool looks_at_status = true;
    bool is_quiet = false;       // without head and summaries
    bool shows_session = false;  // a few lines for each program that loads the driver
    sanitize::Style style;
    bool finds_leaks = false;
    bool finds_races = false, finds_others = true;
    sanitize::Severity least = sanitize::Severity::warning;  // findings below are left out
  };
  explicit SanitizeReport(const Settings& settings) : settings_(settings) {}

  void begin();
  // A further run of the same program: findings that are known are not counted again.
  void begin_run(std::uint64_t seed);
  void take(const sanitize::Finding& finding);
  // The program has ended, with a status of wait().
  void end(int status);
  void print(const std::vector<std::string>& lines);

  bool has_started() const { return has_started_; }
  std::uint64_t errors() const { return errors_ + race_errors_ + race_warnings_; }
  // Each finding once, with its count, in the order in which they came.
  const std::vector<sanitize::Finding>& findings() const { return findings_; }

 private:
  void line(const std::string& text);
  void summary(const std::string& text);
  std::string key_of(const sanitize::Finding& finding) const;
  void count(const sanitize::Finding& finding, bool is_new);

  Settings settings_;
  std::vector<sanitize::Finding> findings_;
  std::map<std::string, std::size_t> known_;
  bool has_started_ = false, is_scheduled_ = false;
  std::uint64_t seed_ = 0;  // of the run
  std::uint64_t errors_ = 0, repeated_ = 0, not_printed_ = 0, leaks_ = 0, leaked_bytes_ = 0;
  std::uint64_t races_ = 0, race_errors_ = 0, race_warnings_ = 0;  // places
};

// All findings in a file, for other programs. The text for people is not in them.
std::string sanitize_xml(const std::vector<sanitize::Finding>& findings);
std::string sanitize_json(const std::vector<sanitize::Finding>& findings);
// For pages of code review, and for CI.
std::string sanitize_sarif(const std::vector<sanitize::Finding>& findings);
std::string sanitize_junit(const std::vector<sanitize::Finding>& findings, const std::string& program);
// The kind of a finding in these files, and its name in NVIDIA's XML.
const char* kind_name(sanitize::Kind kind);
const char* xml_kind(sanitize::Kind kind);

}  // namespace nvmlkit::cli
