// The newest messages of the machine's kernel log, as JSON.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>

#include "kernel_log/follower.hpp"

namespace nvmlkit::serve {

class Log {
 public:
  explicit Log(const sim::Machine& machine) : follower_(machine) {}

  // The messages since the last call.
  nlohmann::ordered_json take();
  // All that are kept, the oldest first.
  nlohmann::ordered_json all() const;

 private:
  kernel_log::Follower follower_;
  std::deque<nlohmann::ordered_json> kept_;
};

}  // namespace nvmlkit::serve
