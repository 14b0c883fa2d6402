// The newest messages of the machine's kernel log, and its events that are no message, as JSON.
#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

class Log {
 public:
  explicit Log(const sim::Machine& machine) : machine_(&machine) {}

  // The messages since the last call.
  nlohmann::ordered_json take();
  // All that are kept, the oldest first.
  nlohmann::ordered_json all() const;

 private:
  void keep(nlohmann::ordered_json& out, std::uint64_t uptime_us, const char* level, const std::string& text);

  const sim::Machine* machine_;
  std::uint64_t place_ = 0;
  std::uint64_t count_ = 0;
  std::deque<nlohmann::ordered_json> kept_;
};

}  // namespace nvmlkit::serve
