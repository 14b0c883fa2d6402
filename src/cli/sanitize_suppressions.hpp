// Findings that the user does not want to see: records in the form of the XML that `--save` writes.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "sanitize/finding.hpp"

namespace nvmlkit::cli {

class Suppressions {
 public:
  // Throws CommandError where the file is no such list.
  explicit Suppressions(const std::string& path);
  Suppressions() = default;

  bool hold(const sanitize::Finding& finding) const;

 private:
  // What a record states; the rest may be anything. Texts are regular expressions that have to match as a whole.
  struct Pattern {
    std::string text;
    std::regex compiled;
    explicit Pattern(std::string of) : text(std::move(of)), compiled(text, std::regex::ECMAScript) {}
    bool matches(const std::string& value) const { return value == text || std::regex_match(value, compiled); }
  };
  struct Place {
    std::vector<Pattern> function, path, line, offset;  // none or one of each
  };
  struct Record {
    std::string kind, level;
    std::vector<Pattern> text, call, result;
    std::vector<Place> device, host;
  };
  static bool matches(const Record& record, const sanitize::Finding& finding);

  std::vector<Record> records_;
};

}  // namespace nvmlkit::cli
