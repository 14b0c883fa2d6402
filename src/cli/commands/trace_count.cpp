// nvmlkit trace count
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/trace_files.hpp"

namespace nvmlkit::cli {
namespace {

struct CountOptions {
  std::string file;
  TraceFilterOptions filter;
  bool as_json = false;
};

constexpr double kNsPerUs = 1e3;

double mean_us(const trace::Count& row) {
  return static_cast<double>(row.total_ns) / static_cast<double>(row.calls) / kNsPerUs;
}

int count_calls(const CountOptions& options) {
  const auto path = recording_path(options.file);
  const auto recording = open_recording(path);
  const auto rows = trace::count(recording, options.filter.filter());
  if (options.as_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& row : rows)
      list.push_back({{"function", row.function},
                      {"calls", row.calls},
                      {"failed", row.failed},
                      {"mean_us", mean_us(row)},
                      {"longest_us", static_cast<double>(row.longest_ns) / kNsPerUs}});
    const nlohmann::ordered_json all = {{"program", recording.program}, {"calls", recording.written},
                                        {"lost", recording.lost()},     {"dropped", recording.dropped},
                                        {"complete", recording.closed}, {"functions", list}};
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  trace::Count sum;
  fmt::print("{:>8} {:>8} {:>11} {:>11}  {}\n", "Calls", "Failed", "Mean us", "Longest us", "Function");
  for (const auto& row : rows) {
    fmt::print("{:>8} {:>8} {:>11.1f} {:>11.1f}  {}\n", row.calls, row.failed, mean_us(row),
               static_cast<double>(row.longest_ns) / kNsPerUs, row.function);
    sum.calls += row.calls;
    sum.failed += row.failed;
  }
  fmt::print("{:>8} {:>8} {:>11} {:>11}  of {} functions\n", sum.calls, sum.failed, "", "", rows.size());
  say_what_is_lost(recording, path);
  return 0;
}

}  // namespace

Command trace_count_command() {
  return {.name = "trace count",
          .summary = "Count the calls of a recording by function, with failures and durations",
          .group = Group::real,
          .examples = {{"nvmlkit trace count calls/nvidia-smi-4711.nvtrace", "the most called function first"},
                       {"nvmlkit trace count calls --failed", "the functions that failed"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<CountOptions>();
            arguments.argument("FILE", Kind::file, options->file, "The recording, or a folder with one").required();
            declare_json(arguments, options->as_json);
            options->filter.declare(arguments);
            return [options] { return count_calls(*options); };
          }};
}

}  // namespace nvmlkit::cli
