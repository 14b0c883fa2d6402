// nvmlkit trace diff
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/trace_files.hpp"

namespace nvmlkit::cli {
namespace {

struct DiffOptions {
  std::string left, right;
  TraceFilterOptions filter;
  bool as_json = false;
};

constexpr std::size_t kLongest = 200;  // bytes of an answer in a line; --json has all

std::string cut(const std::string& text) { return text.size() <= kLongest ? text : text.substr(0, kLongest) + "..."; }

void print_difference(const trace::Difference& row) {
  if (row.right == 0) {
    fmt::print("- {}  ({} calls)\n", cut(row.question), row.left);
    return;
  }
  if (row.left == 0) {
    fmt::print("+ {}  ({} calls)\n", cut(row.question), row.right);
    return;
  }
  fmt::print("  {}", cut(row.question));
  if (row.left != row.right) fmt::print("  ({} and {} calls)", row.left, row.right);
  if (row.differing > 1) fmt::print("  ({} answers differ)", row.differing);
  fmt::print("\n");
  if (row.differing > 0) fmt::print("-   {}\n+   {}\n", cut(row.first_left), cut(row.first_right));
}

int diff_recordings(const DiffOptions& options) {
  const auto left = open_recording(recording_path(options.left));
  const auto right = open_recording(recording_path(options.right));
  const auto rows = trace::compare(left, right, options.filter.filter());
  if (options.as_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& row : rows)
      list.push_back({{"call", row.question},
                      {"left_calls", row.left},
                      {"right_calls", row.right},
                      {"differing", row.differing},
                      {"left", row.first_left},
                      {"right", row.first_right}});
    fmt::print("{}\n", list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    for (const auto& row : rows) print_difference(row);
  }
  return rows.empty() ? 0 : 1;
}

}  // namespace

Command trace_diff_command() {
  return {.name = "trace diff",
          .summary = "Compare two recordings: which calls only one has, and which answers differ",
          .group = Group::real,
          .details =
              "Calls with the same function and the same arguments are compared, the n-th of one recording with the "
              "n-th of the other. Handles are numbered in the order of their first use, because their values differ "
              "between processes. The exit status is 0 if nothing differs, else 1.",
          .examples = {{"nvmlkit trace diff before.nvtrace after.nvtrace", "what a new driver answers differently"},
                       {"nvmlkit trace diff a.nvtrace b.nvtrace --function '*PowerUsage'", "one function"}},
          .declare = [](Arguments& arguments) -> Action {
            const auto options = std::make_shared<DiffOptions>();
            arguments.argument("LEFT", Kind::file, options->left, "A recording, or a folder with one").required();
            arguments.argument("RIGHT", Kind::file, options->right, "Another one").required();
            declare_json(arguments, options->as_json);
            options->filter.declare(arguments);
            return [options] { return diff_recordings(*options); };
          }};
}

}  // namespace nvmlkit::cli
