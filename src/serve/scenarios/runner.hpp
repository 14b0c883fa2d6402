// The one scenario that a server runs on its machine. Nothing here waits: the server calls advance() when next() is
// over or the machine was changed.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenario/run.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

class Runner {
 public:
  explicit Runner(const sim::Machine& machine) : machine_(machine) {}

  // The plan of a text for this machine; problems have line and column.
  sim::Expected<scenario::Plan> plan(const std::string& name, const std::string& text,
                                     const std::optional<std::string>& seed) const;

  bool is_running() const { return run_ && !over_; }
  void start(scenario::Plan plan);
  // Ends it. Takes back what it did, if that is wanted.
  void stop(bool undo);

  void advance();
  // In real time; nothing: not before the machine is changed.
  std::optional<std::chrono::milliseconds> next() const;

  nlohmann::ordered_json status() const;

 private:
  std::int64_t elapsed_ns() const;
  void note(const scenario::Result& result);

  const sim::Machine& machine_;
  std::unique_ptr<scenario::Run> run_;
  std::int64_t begin_ns_ = 0, end_ns_ = 0;
  bool over_ = false, failed_ = false;
  std::vector<std::string> states_;  // of each step: the outcome of its last round, or empty
  std::deque<scenario::Result> results_;
};

}  // namespace nvmlkit::serve
