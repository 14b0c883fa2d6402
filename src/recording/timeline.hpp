// A recording for one machine: what happens at which time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "recording/recording.hpp"

namespace nvmlkit::recording {

inline constexpr std::size_t kNoNext = std::numeric_limits<std::size_t>::max();

// A sample with its GPU's place in the machine.
struct Value {
  std::int64_t at_ms = 0;
  std::size_t place = 0;
  Quantity quantity{};
  double value = 0;
  std::size_t next = kNoNext;  // the next one of the same series, in Timeline::values()
};

// A series that ends, or pauses: the field goes back to telemetry.
struct End {
  std::int64_t at_ms = 0;
  std::size_t place = 0;
  Quantity quantity{};
};

struct Raised {
  std::int64_t at_ms = 0;
  std::size_t place = 0;
  std::uint32_t number = 0;
};

// All that happens at one instant.
struct Frame {
  std::int64_t at_ms = 0;
  std::span<const Value> values;
  std::span<const End> ends;
  std::span<const Raised> xids;
};

struct Span {
  std::optional<std::int64_t> from_ms, to_ms;  // behind the beginning
};

class Timeline {
 public:
  // Of a recording in order. A series pauses where the next sample is later than four times its usual distance, and
  // more than a minute.
  Timeline(const Recording& recording, const std::vector<std::size_t>& places, Span span = {});

  const std::vector<Value>& values() const { return values_; }
  std::vector<Frame> frames() const;
  std::int64_t duration_ms() const;

 private:
  void link_and_end();

  std::vector<Value> values_;
  std::vector<End> ends_;
  std::vector<Raised> xids_;
};

}  // namespace nvmlkit::recording
