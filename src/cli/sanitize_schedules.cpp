#include "cli/sanitize_schedules.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string_view>
#include <utility>

#include "cli/command_error.hpp"
#include "sim/problem/names.hpp"

namespace nvmlkit::cli {
namespace {

constexpr std::size_t kMostKept = std::size_t{16} << 20;
constexpr std::size_t kMostShown = 60;
constexpr std::size_t kMostLines = 20;

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

std::string shown(std::string_view line) {
  return '"' + std::string(line.substr(0, kMostShown)) + (line.size() > kMostShown ? "...\"" : "\"");
}

}  // namespace

CapturedOutput::CapturedOutput(bool shows) : shows_(shows) {
  for (auto& ends : pipes_)
    if (pipe2(ends, O_CLOEXEC) != 0) throw CommandError(sim::unusable_file("a pipe", "it cannot be made"), kFailed);
  for (auto& ends : pipes_) fcntl(ends[0], F_SETFL, O_NONBLOCK);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the main thread waits for signals
  thread_ = std::thread([this] { read_on(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void CapturedOutput::enter() const {
  dup2(pipes_[0][1], STDOUT_FILENO);
  dup2(pipes_[1][1], STDERR_FILENO);
}

// False: nothing is there for now.
bool CapturedOutput::read_from(int which) {
  char bytes[65536];
  const auto count = read(pipes_[which][0], bytes, sizeof bytes);
  if (count <= 0) return false;
  const std::string_view got(bytes, static_cast<std::size_t>(count));
  if (text_[which].size() < kMostKept)
    text_[which] += got;
  else
    for (const char c : got) more_[which] = more_[which] * 0x100000001B3 + static_cast<unsigned char>(c) + 1;
  if (!shows_) return true;
  for (std::size_t done = 0; done < got.size();) {
    const auto written = write(which == 0 ? STDOUT_FILENO : STDERR_FILENO, got.data() + done, got.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

void CapturedOutput::read_on() {
  pollfd both[2] = {{pipes_[0][0], POLLIN, 0}, {pipes_[1][0], POLLIN, 0}};
  while (!ends_) {
    poll(both, 2, 20);
    for (const int which : {0, 1}) read_from(which);
  }
  for (const int which : {0, 1})
    while (read_from(which)) {
    }
}

// A process that the program left behind may still have the pipes: their end is not waited for.
std::string CapturedOutput::end() {
  if (!thread_.joinable()) return {};
  ends_ = true;
  thread_.join();
  for (auto& ends : pipes_)
    for (const int file : ends) close(file);
  std::string out = std::move(text_[0]) + std::move(text_[1]);
  if (more_[0] != 0 || more_[1] != 0) out += fmt::format("\nmore, with the digest {:x} {:x}", more_[0], more_[1]);
  return out;
}

std::string end_text(const Ended& ended) {
  if (ended.is_late) return "no end";
  if (WIFSIGNALED(ended.status)) return fmt::format("signal {}", WTERMSIG(ended.status));
  return fmt::format("exit status {}", WEXITSTATUS(ended.status));
}

std::string difference(const std::string& usual, const std::string& other) {
  std::string_view one = usual, two = other;
  for (std::size_t number = 1; one != two; ++number) {
    const auto line = next_line(one), line_of_other = next_line(two);
    if (line != line_of_other)
      return fmt::format("line {} of its output is {} and not {}", number, shown(line_of_other), shown(line));
    if (one.empty() && two.empty()) break;
  }
  return usual == other ? "" : "the last line of its output ends otherwise";
}

bool ScheduleSummary::has_other_end(const ScheduledRun& run) const {
  return run.ended.is_late != usual_.ended.is_late || run.ended.status != usual_.ended.status;
}

bool ScheduleSummary::is_different(const ScheduledRun& run) const {
  return has_other_end(run) || (compares_output_ && run.output != usual_.output);
}

void ScheduleSummary::add(const ScheduledRun& run, const ScheduledRun* again) {
  ++runs_;
  if (again && again->output != run.output) compares_output_ = false;
  if (!is_different(run)) return;
  if (has_other_end(run)) {
    ++other_ends_;
    changed_.push_back(
        fmt::format("--schedule {}: {} and not {}", run.seed, end_text(run.ended), end_text(usual_.ended)));
  } else {
    ++other_outputs_;
    changed_.push_back(fmt::format("--schedule {}: {}", run.seed, difference(usual_.output, run.output)));
  }
}

std::vector<std::string> ScheduleSummary::lines() const {
  const auto word = runs_ == 1 ? "schedule" : "schedules";
  std::vector<std::string> out;
  if (compares_output_)
    out.push_back(fmt::format("SCHEDULE SUMMARY: {} {}, {} with another output, {} with another end", runs_, word,
                              other_outputs_, other_ends_));
  else
    out.push_back(
        fmt::format("SCHEDULE SUMMARY: {} {}, {} with another end. The output was not compared: it differs "
                    "between two runs with the same seed",
                    runs_, word, other_ends_));
  for (std::size_t k = 0; k < std::min(changed_.size(), kMostLines); ++k) {
    const bool is_of_output = changed_[k].find(": line ") != std::string::npos;
    if (compares_output_ || !is_of_output) out.push_back("    " + changed_[k]);
  }
  if (changed_.size() > kMostLines) out.push_back(fmt::format("    and {} more", changed_.size() - kMostLines));
  return out;
}

}  // namespace nvmlkit::cli
