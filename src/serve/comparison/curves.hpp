// A recording as curves: of each measure of the page and each GPU of the machine the recorded values over time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/recording.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

struct Point {
  std::int64_t at_ms;           // since the recording began
  std::optional<double> value;  // nothing: the recording pauses
};

struct Curve {
  std::string_view measure;  // of measures(), or memory_used
  std::vector<std::vector<Point>> gpus;
};

struct Curves {
  std::string name, format;
  std::int64_t duration_ms = 0;
  std::vector<Curve> curves;
};

// Of a text that src/recording/ reads, which may be compressed by gzip. A problem: it is no recording, it is of several
// hosts, the machine lacks its GPUs, or it has nothing that the page shows.
sim::Expected<Curves> read_curves(const std::string& name, std::string_view text, const sim::Machine& machine);

// The value at a time: that of the last point before.
std::optional<double> value_at(const std::vector<Point>& points, std::int64_t at_ms);

}  // namespace nvmlkit::serve
