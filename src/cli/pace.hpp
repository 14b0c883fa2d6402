// The pace of a machine's time while a command runs on it.
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::cli {

// --virtual and --speed.
class PaceOptions {
 public:
  // `still` and `fast` are the help texts.
  void declare(Arguments& arguments, const std::string& still, const std::string& fast);
  // Nothing: it stays as it is. 0: time stands still. Refuses a wrong factor.
  std::optional<double> wanted() const;

 private:
  std::string speed_;
  bool still_ = false;
};

// Puts the pace of a machine back that others use.
class Pace {
 public:
  Pace(const sim::Machine& machine, std::optional<double> wanted);
  ~Pace();
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

 private:
  const sim::Machine& machine_;
  sim::Clock before_{};
  bool changed_ = false;
};

}  // namespace nvmlkit::cli
