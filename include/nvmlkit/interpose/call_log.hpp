// A line per call.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <nvmlkit/interpose/hook.hpp>
#include <string>

namespace nvmlkit::nvml::interpose {

struct LoggedCall {
  const char* function;   // "nvmlDeviceGetName"
  std::string arguments;  // "device=0x7f00, name=\"NVIDIA H100\", length=96", as they are after the call
  Errc result;            // Errc::success for nvmlErrorString
  std::chrono::nanoseconds duration;

  // "nvmlDeviceGetName(device=0x7f00, ...) = success, 830 ns".
  std::string text() const;
};

// Values and enums are decimal, handles hexadecimal, strings quoted; structs and arrays say how long they are.
std::string describe_arguments(const Call& call, Errc result);

// Sinks are called one at a time, in the order in which calls end, and must not call into the table that is logged.
class CallLog : public Hook {
 public:
  using Sink = std::function<void(const LoggedCall&)>;
  explicit CallLog(Sink sink) : sink_(std::move(sink)) {}
  // A line of text() per call; the stream must outlive the log.
  explicit CallLog(std::ostream& stream);

  Word on_call(const Call& call) noexcept override;

 private:
  std::mutex mutex_;
  Sink sink_;
};

}  // namespace nvmlkit::nvml::interpose
