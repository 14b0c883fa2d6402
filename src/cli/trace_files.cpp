#include "cli/trace_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "cli/command_error.hpp"
#include "trace/format.hpp"

namespace nvmlkit::cli {
namespace fs = std::filesystem;

std::vector<std::string> recordings_in(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == trace::kSuffix)
      found.emplace_back(entry.last_write_time(error), entry.path().string());
  std::ranges::sort(found);
  std::vector<std::string> out;
  for (auto& [time, path] : found) out.push_back(std::move(path));
  return out;
}

std::string recording_path(const std::string& path, const std::string& program) {
  if (std::error_code error; !fs::is_directory(path, error)) return path;
  auto found = recordings_in(path);
  if (found.size() > 1 && !program.empty()) {
    const auto start = fs::path(program).filename().string() + "-";
    std::erase_if(found,
                  [&](const std::string& file) { return !fs::path(file).filename().string().starts_with(start); });
  }
  if (found.size() == 1) return found.front();
  std::string names;
  for (const auto& file : found)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", fs::path(file).filename().string());
  throw CommandError(sim::unusable_file(
      path, found.empty() ? std::string("has no recording of calls (*.nvtrace)")
                          : fmt::format("has {} recordings; name one of them: {}", found.size(), names)));
}

trace::Recording open_recording(const std::string& path) {
  if (std::error_code error; !fs::exists(path, error))
    throw CommandError(sim::unusable_file(path, "there is no such file"));
  return value_of(trace::read(path));
}

void TraceFilterOptions::declare(Arguments& arguments) {
  arguments.section("Which calls");
  arguments
      .option("--function", Kind::text, filter_.function,
              "Only functions whose name fits the pattern, with * and ?: \"nvmlDeviceGet*\", \"smi slot *\"")
      .label("PATTERN");
  arguments.flag("--failed", filter_.failed, "Only calls that did not return success");
  arguments.option("--thread", filter_.thread, "Only calls of this thread: 1 is the thread of the first call")
      .default_text("all");
}

std::string wall_time(std::uint64_t ns) {
  constexpr std::uint64_t kSecond = 1000000000, kMicrosecond = 1000;
  const auto seconds = static_cast<std::time_t>(ns / kSecond);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06}", fmt::gmtime(seconds), ns % kSecond / kMicrosecond);
}

void say_what_is_lost(const trace::Recording& recording, const std::string& path) {
  if (recording.lost() > 0)
    fmt::print(stderr, "nvmlkit: {}: {} calls are not in the file: the bound let them go\n", path, recording.lost());
  if (recording.dropped > 0)
    fmt::print(stderr, "nvmlkit: {}: {} calls were not written: no room, or too large\n", path, recording.dropped);
}

}  // namespace nvmlkit::cli
