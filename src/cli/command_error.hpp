// How a command ends that cannot do what it was asked: one line for people on stderr, and an exit status.
#pragma once

#include <stdexcept>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace nvmlkit::cli {

// Exit statuses, beside 0 and the status of a program that the command runs.
inline constexpr int kFailed = 1;    // the work itself failed: no driver library, no NVML
inline constexpr int kBadInput = 2;  // wrong arguments, or a machine that cannot be used

// main() prints it behind "nvmlkit: ".
struct CommandError : std::runtime_error {
  explicit CommandError(const std::string& message, int exit_status = kBadInput)
      : std::runtime_error(message), status(exit_status) {}
  int status;
};

// For functions that return what is wrong as a text, empty when nothing is.
inline void accept(const std::string& problem) {
  if (!problem.empty()) throw CommandError(problem);
}

template <class T>
T value_of(tl::expected<T, std::string>&& result) {
  if (!result) throw CommandError(result.error());
  return std::move(*result);
}

}  // namespace nvmlkit::cli
