// Time series of Prometheus: a name and labels, as both of its formats have them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recording/recording.hpp"

namespace nvmlkit::recording {

struct Series {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;

  std::string label(std::string_view key) const;  // empty: there is none
};

// Where its samples go.
struct Target {
  const Name* name = nullptr;
  std::uint32_t gpu = 0;
};

// Nothing for a series that no machine replays; one of a GPU is counted in `not_replayed`.
std::optional<Target> target_of(const Series& series, Recording& out);

}  // namespace nvmlkit::recording
