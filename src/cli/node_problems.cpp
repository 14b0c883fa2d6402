#include "cli/node_problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "node/ready.hpp"
#include "node/waiter.hpp"
#include "sim/problem/text.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;
namespace {

// The disk of the file may be the full one: then no file is there, and a probe fails all the same.
void put_problem(const std::string& ready_file, const std::string& line) {
  try {
    node::write_problem_file(ready_file, line);
  } catch (const fs::filesystem_error&) {
    std::error_code error;
    fs::remove(ready_file, error);
  }
}

}  // namespace

std::vector<std::string> summarize(const std::vector<Trouble>& troubles) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const auto& [place, cause] : troubles) {
    if (!seen.insert(cause).second) continue;
    const auto others = std::count_if(troubles.begin(), troubles.end(),
                                      [&cause = cause](const Trouble& other) { return other.cause == cause; }) -
                        1;
    const auto more = others > 0 ? fmt::format(", and {} file{} more", others, others > 1 ? "s" : "") : std::string();
    out.push_back(fmt::format("{}: {}{}", place, cause, more));
  }
  return out;
}

void NodeProblems::tell(const std::vector<Trouble>& troubles) {
  const auto lines = summarize(troubles);
  std::set<std::string> causes;
  std::size_t line = 0;
  for (const auto& trouble : troubles) {
    if (!causes.insert(trouble.cause).second) continue;
    if (!told_.contains(trouble.cause)) fmt::print(stderr, "nvmlkit: {}; the next try is in a second\n", lines[line]);
    ++line;
  }
  if (causes == told_) return;
  told_ = std::move(causes);
  problem_ = lines.empty() ? "" : lines.front();
  put();
}

void NodeProblems::be_ready() {
  ready_ = true;
  put();
}

void NodeProblems::put() {
  if (ready_file_.empty()) return;
  if (!problem_.empty())
    put_problem(ready_file_, problem_);
  else if (ready_)
    node::write_ready_file(ready_file_);
}

sim::Problem no_more_instances() {
  constexpr const char* kLimit = "/proc/sys/fs/inotify/max_user_instances";
  std::string limit;
  std::ifstream(kLimit) >> limit;
  return {.kind = sim::ProblemKind::impossible,
          .what = fmt::format("this user has no inotify instance left{}, and a node needs one, with --scenarios two",
                              limit.empty() ? "" : fmt::format(" (limit {})", limit)),
          .hint = "raise the limit: sysctl fs.inotify.max_user_instances=8192"};
}

int show_last_problem(const CommandError& error, const std::string& ready_file, std::uint32_t seconds) {
  const auto text = sim::text_of(error.problem);
  fmt::print(stderr, "nvmlkit: {}\n", text);
  if (ready_file.empty() || seconds == 0) return error.status;
  put_problem(ready_file, text);
  node::Waiter waiter;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (auto now = end - std::chrono::seconds(seconds); now < end; now = std::chrono::steady_clock::now())
    if (waiter.wait({}, std::chrono::ceil<std::chrono::milliseconds>(end - now)).stop) break;
  std::error_code ignored;
  fs::remove(ready_file, ignored);
  return error.status;
}

}  // namespace nvmlkit::cli
