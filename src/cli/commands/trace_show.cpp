// nvmlkit trace show
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/trace_files.hpp"
#include "trace/text.hpp"

namespace nvmlkit::cli {
namespace {

struct ShowOptions {
  std::string file;
  TraceFilterOptions filter;
  std::optional<std::uint32_t> count;
  bool whole = false, as_json = false;
};

constexpr double kMillisecondNs = 1e6, kMicrosecondNs = 1e3;

void print_line(const trace::Recording& recording, const trace::Call& call, bool whole) {
  fmt::print("{:>12.3f} ms {:>3}  {} = {}, {:.1f} us\n", static_cast<double>(call.start) / kMillisecondNs, call.thread,
             trace::question_text(recording, call), trace::answer_text(recording, call, whole),
             static_cast<double>(call.duration) / kMicrosecondNs);
}

void print_json(const trace::Recording& recording, const trace::Call& call) {
  const auto& function = recording.functions[call.function];
  const nlohmann::ordered_json line = {{"number", call.number},
                                       {"time_ns", recording.start_ns + call.start},
                                       {"duration_ns", call.duration},
                                       {"thread", call.thread},
                                       {"function", function.name},
                                       {"call", trace::question_text(recording, call)},
                                       {"result", function.returns_text ? "success" : trace::result_text(call.result)},
                                       {"answer", trace::answer_text(recording, call, true)}};
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_head(const trace::Recording& recording) {
  fmt::print("# {} (process {}), {} UTC, {}{}\n", recording.program, recording.pid, wall_time(recording.start_ns),
             recording.library, recording.closed ? "" : "; the process still runs, or was killed");
}

int show_calls(const ShowOptions& options) {
  const auto path = recording_path(options.file);
  const auto recording = open_recording(path);
  if (!options.as_json) print_head(recording);
  std::uint32_t shown = 0;
  for (const auto& record : recording.records) {
    const auto call = recording.call(record);
    if (!call || !options.filter.filter().matches(recording, *call)) continue;
    if (options.count && shown++ >= *options.count) break;
    if (options.as_json)
      print_json(recording, *call);
    else
      print_line(recording, *call, options.whole);
  }
  say_what_is_lost(recording, path);
  return 0;
}

}  // namespace

Command trace_show_command() {
  return {.name = "trace show",
          .summary = "Print the calls of a recording, one per line",
          .group = Group::real,
          .details =
              "A line has the time since the recording began, the number of the thread, the function with its "
              "arguments, the result with the answer, and the duration. Handles are hexadecimal. Memory of 4 and 8 "
              "bytes is a number; of other structs the size is printed, or all bytes with --whole.",
          .examples = {{"nvmlkit trace show calls/nvidia-smi-4711.nvtrace", "all calls"},
                       {"nvmlkit trace show calls --failed", "what did not succeed"},
                       {"nvmlkit trace show calls --function 'nvmlDeviceGet*' --json", "one JSON object per line"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<ShowOptions>();
            arguments.argument("FILE", Kind::file, options->file, "The recording, or a folder with one").required();
            arguments.option("-n,--count", options->count, "Stop after this many calls").default_text("all");
            arguments.flag("--whole", options->whole, "Print all bytes of structs");
            declare_json(arguments, options->as_json);
            options->filter.declare(arguments);
            return [options] { return show_calls(*options); };
          }};
}

}  // namespace nvmlkit::cli
