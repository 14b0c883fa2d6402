// How a command ends that cannot do what it was asked: one line for people on stderr, and an exit status.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include "sim/problem/problem.hpp"

namespace nvmlkit::cli {

// Exit statuses, beside 0 and the status of a program that the command runs.
inline constexpr int kFailed = 1;    // the work itself failed: no driver library, no NVML
inline constexpr int kBadInput = 2;  // wrong arguments, or a machine that cannot be used

// main() prints its text behind "nvmlkit: ".
struct CommandError : std::exception {
  explicit CommandError(sim::Problem what_is_wrong, int exit_status = kBadInput)
      : problem(std::move(what_is_wrong)), status(exit_status) {}
  const char* what() const noexcept override { return "a command that cannot do what it was asked"; }

  sim::Problem problem;
  int status;
};

// The same problem, of an option or an operand: its message begins with the name.
inline sim::Problem of_argument(std::string_view argument, sim::Problem problem) {
  problem.place.named_by = argument;
  return problem;
}

inline void accept(sim::Expected<void>&& done) {
  if (!done) throw CommandError(std::move(done.error()));
}

template <class T>
T value_of(sim::Expected<T>&& result) {
  if (!result) throw CommandError(std::move(result.error()));
  return std::move(*result);
}

}  // namespace nvmlkit::cli
