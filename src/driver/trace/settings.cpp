#include "driver/trace/settings.hpp"

#include <charconv>
#include <cstdlib>

#include "driver/complain.hpp"
#include "trace/writer.hpp"

namespace nvmlkit::trace {
namespace {

std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

}  // namespace

Settings Settings::of_environment() {
  Settings out;
  out.folder = variable("NVMLKIT_TRACE_RECORD");
  out.replay = variable("NVMLKIT_TRACE_REPLAY");
  out.library = variable("NVMLKIT_TRACE_LIBRARY");
  out.report = variable("NVMLKIT_TRACE_REPORT");
  out.clock = variable("NVMLKIT_TRACE_CLOCK");
  out.by_time = variable("NVMLKIT_TRACE_BY_TIME") == "1";
  out.limit = WriterOptions::kDefaultLimit;
  const std::string limit = variable("NVMLKIT_TRACE_LIMIT");
  if (limit.empty()) return out;
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), out.limit);
  if (error != std::errc() || end != limit.data() + limit.size() || out.limit < WriterOptions::kLeastLimit) {
    auto problem = sim::wrong_value("a number of bytes from " + std::to_string(WriterOptions::kLeastLimit), limit);
    problem.place.named_by = "NVMLKIT_TRACE_LIMIT";
    driver::complain(problem);
    out.limit = WriterOptions::kDefaultLimit;
  }
  return out;
}

}  // namespace nvmlkit::trace
