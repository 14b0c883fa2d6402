#include "cli/capture.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nvmlkit/nvml.hpp>

#include "capture/machine.hpp"
#include "capture/scrub.hpp"
#include "capture/walk.hpp"
#include "cli/exit_status.hpp"
#include "smi_log/log.hpp"

namespace nvmlkit::cli {
namespace {

int cannot_capture(const std::string& message) {
  fmt::print(stderr, "nvmlkit: {}\n", message);
  return kBadInput;
}

bool write_file(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  return static_cast<bool>(stream.flush());
}

}  // namespace

int capture_machine(const CaptureOptions& options) {
  nvml::OpenOptions open;
  open.load.path = options.library;
  const auto library = nvml::Library::open(open);
  if (!library) {
    fmt::print(stderr, "nvmlkit: no working NVML library: {}\n", library.error().message());
    if (const auto advice = library.error().advice(); !advice.empty()) fmt::print(stderr, "{}\n", advice);
    return 1;
  }
  auto answers = capture::ask_everything(*library);
  if (options.scrub) capture::scrub(answers);
  if (!options.answers.empty() &&
      !write_file(options.answers,
                  capture::to_json(answers).dump(1, ' ', false, capture::Json::error_handler_t::replace) + "\n"))
    return cannot_capture(options.answers + ": cannot be written");
  if (!options.answers.empty() && options.output.empty()) return 0;
  try {
    const auto captured = capture::machine_file(answers);
    for (const auto& note : captured.notes) fmt::print(stderr, "nvmlkit: {}\n", note);
    const auto& [equal, different] = captured.comparison;
    fmt::print(stderr, "nvmlkit: the machine file gives {} of {} answers{}\n", equal, equal + different.size(),
               different.empty() || options.verbose ? "" : " (--verbose lists the others)");
    if (options.verbose)
      for (const auto& line : different) fmt::print(stderr, "{}\n", line);
    if (options.output.empty())
      fmt::print("{}", captured.yaml);
    else if (!write_file(options.output, captured.yaml))
      return cannot_capture(options.output + ": cannot be written");
  } catch (const smi_log::Refused& refused) {
    return cannot_capture(refused.what());
  }
  return 0;
}

}  // namespace nvmlkit::cli
