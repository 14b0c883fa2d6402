#include "cli/sanitize_report.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include "sanitize/text.hpp"

namespace nvmlkit::cli {
namespace {

const char* errors_word(std::uint64_t count) { return count == 1 ? "error" : "errors"; }

}  // namespace

void SanitizeReport::line(const std::string& text) { fmt::print(settings_.out, "{} {}\n", settings_.prefix, text); }

void SanitizeReport::summary(const std::string& text) {
  if (!settings_.is_quiet) line(text);
}

void SanitizeReport::begin() {
  summary("COMPUTE-SANITIZER");
  std::fflush(settings_.out);
}

void SanitizeReport::begin_run(std::uint64_t seed) {
  is_scheduled_ = true;
  seed_ = seed;
}

void SanitizeReport::print(const std::vector<std::string>& lines) {
  for (const auto& text : lines) summary(text);
  std::fflush(settings_.out);
}

// Numbers of processes differ from run to run.
std::string SanitizeReport::key_of(const sanitize::Finding& finding) const {
  if (!is_scheduled_) return finding.key();
  auto same = finding;
  same.process = 0;
  return same.key();
}

// A race counts once for two places.
void SanitizeReport::count(const sanitize::Finding& finding, bool is_new) {
  if (finding.kind == sanitize::Kind::race) {
    if (!is_new) return;
    ++races_;
    race_errors_ += finding.severity == sanitize::Severity::error;
    race_warnings_ += finding.severity == sanitize::Severity::warning;
    return;
  }
  errors_ += finding.count;
  if (finding.kind != sanitize::Kind::leak) return;
  ++leaks_;
  leaked_bytes_ += finding.size;
}

void SanitizeReport::take(const sanitize::Finding& finding) {
  if (finding.kind == sanitize::Kind::program_start) {
    has_started_ = true;
    if (settings_.shows_session) {
      line("Session details");
      line(fmt::format("    Process ID: {}", finding.process));
      line(fmt::format("    Command line: {}", finding.call));
      std::fflush(settings_.out);
    }
    return;
  }
  if (finding.severity < settings_.least) return;
  // Of the host, in all runs the same; their addresses are not.
  const bool is_of_host = finding.kind == sanitize::Kind::leak || finding.kind == sanitize::Kind::unused_memory;
  if (seed_ != 0 && is_of_host) return;
  const auto [at, is_new] = known_.try_emplace(key_of(finding), findings_.size());
  if (is_scheduled_ && !is_new && findings_[at->second].seeds.front() != seed_) {
    auto& seeds = findings_[at->second].seeds;
    if (seeds.back() != seed_) seeds.push_back(seed_);
    return;
  }
  count(finding, is_new);
  if (!is_new) {
    findings_[at->second].count += finding.count;
    if (finding.kind != sanitize::Kind::race) repeated_ += finding.count;
    return;
  }
  findings_.push_back(finding);
  if (is_scheduled_) findings_.back().seeds = {seed_};
  if (settings_.print_limit != 0 && findings_.size() > settings_.print_limit) {
    not_printed_ += finding.kind == sanitize::Kind::race ? 1 : finding.count;
    return;
  }
  for (const auto& text : sanitize::lines_of(finding, settings_.style)) line(text);
  if (seed_ != 0) line(fmt::format("    Found first with --schedule {}", seed_));
  line("");
  std::fflush(settings_.out);
}

void SanitizeReport::end(int status) {
  if (!has_started_) line("Error: Target application terminated before first instrumented API call");
  if (settings_.looks_at_status && WIFSIGNALED(status)) {
    line("Error: process didn't terminate successfully");
    line(
        "    The application may have hit an error when dereferencing Unified Memory from the host. Please rerun the "
        "application under cuda-gdb or a host debugger to catch host side errors.");
  }
  if (settings_.looks_at_status && status != 0) line("Target application returned an error");
  if (settings_.finds_leaks && has_started_)
    summary(fmt::format("LEAK SUMMARY: {} bytes leaked in {} allocations", leaked_bytes_, leaks_));
  if (repeated_ > 0)
    summary(fmt::format("{} {} of later launches and calls are at places that are printed above", repeated_,
                        errors_word(repeated_)));
  if (settings_.finds_races)
    summary(fmt::format("RACECHECK SUMMARY: {} {} displayed ({} {}, {} {})", races_, races_ == 1 ? "hazard" : "hazards",
                        race_errors_, errors_word(race_errors_), race_warnings_,
                        race_warnings_ == 1 ? "warning" : "warnings"));
  if (settings_.finds_others || errors_ > 0)
    summary(fmt::format("ERROR SUMMARY: {} {}", errors_, errors_word(errors_)));
  if (not_printed_ > 0)
    summary(
        fmt::format("ERROR SUMMARY: {} {} not printed. Use --print-limit option to adjust the number of printed errors",
                    not_printed_, not_printed_ == 1 ? "error was" : "errors were"));
  std::fflush(settings_.out);
}

}  // namespace nvmlkit::cli
