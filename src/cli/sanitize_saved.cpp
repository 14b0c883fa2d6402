#include "cli/sanitize_saved.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "cli/command_error.hpp"
#include "cli/sanitize_report.hpp"
#include "cli/sanitize_suppressions.hpp"
#include "sanitize/fields.hpp"
#include "sanitize/finding.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

constexpr std::string_view kHead = "nvmlkit sanitize 1\n\n";

using sanitize::add_field;

}  // namespace

SavedRun::SavedRun(const sanitize::Options& checks, const std::string& program)
    : text_(kHead), program_(program), checks_(checks) {
  checks_.path = "-";
  add_field(text_, "program", program);
  add_field(text_, "checks", checks_.encoded());
  text_ += '\n';
}

SavedRun SavedRun::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CommandError(sim::unusable_file(path, "it cannot be read"), kFailed);
  SavedRun out;
  out.text_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  std::string_view rest = out.text_;
  sanitize::Field program, checks;
  const bool is_one = rest.starts_with(kHead) && (rest.remove_prefix(kHead.size()), next_field(rest, program)) &&
                      next_field(rest, checks) && program.name == "program" && checks.name == "checks" &&
                      sanitize::decode(checks.value, out.checks_);
  if (!is_one) throw CommandError(sim::unusable_file(path, "it is no file of --save without --xml"));
  out.program_ = program.value;
  return out;
}

void SavedRun::add_run(std::uint64_t seed) {
  add_field(text_, "run", seed);
  text_ += '\n';
}

void SavedRun::add(const sanitize::Finding& finding) { text_ += sanitize::record_of(finding); }

void SavedRun::add_lines(const std::vector<std::string>& lines) {
  for (const auto& line : lines) add_field(text_, "line", line);
  if (!lines.empty()) text_ += '\n';
}

void SavedRun::end(int status) {
  add_field(text_, "end", static_cast<std::uint32_t>(status));
  text_ += '\n';
}

void SavedRun::replay(SanitizeReport& report, const Suppressions& suppressions) const {
  std::string_view rest = text_;
  rest.remove_prefix(kHead.size());
  for (auto at = rest.find("\n\n"); at != rest.npos; at = rest.find("\n\n")) {
    auto record = rest.substr(0, at + 1), whole = rest.substr(0, at + 2);
    rest.remove_prefix(at + 2);
    std::vector<std::string> lines;
    sanitize::Finding finding;
    for (sanitize::Field field; next_field(record, field);) {
      if (field.name == "run") report.begin_run(field.number());
      if (field.name == "line") lines.push_back(field.value);
      if (field.name == "end") report.end(static_cast<int>(field.number()));
      if (field.name != "kind") continue;
      if (sanitize::read_record(whole, finding) && !suppressions.hold(finding)) report.take(finding);
      break;
    }
    report.print(lines);
  }
}

std::string expanded_path(const std::string& option, const std::string& path) {
  std::string out;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] != '%') {
      out += path[at];
      continue;
    }
    const auto end = path.find('}', at);
    if (path.compare(at, 2, "%%") == 0) {
      out += '%';
    } else if (path.compare(at, 2, "%p") == 0) {
      out += std::to_string(getpid());
    } else if (path.compare(at, 3, "%q{") == 0 && end != path.npos) {
      const char* const value = std::getenv(path.substr(at + 3, end - at - 3).c_str());
      out += value ? value : "";
      at = end - 1;
    } else {
      throw CommandError(
          of_argument(option, sim::wrong_value("%p, %q{NAME} or %% behind a percent sign", sim::quote(path))));
    }
    ++at;
  }
  return out;
}

}  // namespace nvmlkit::cli
