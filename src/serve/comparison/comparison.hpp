// A recording beside the machine: at each sample the values that were recorded as long after the beginning, and how far
// the machine is from them.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "serve/comparison/curves.hpp"

namespace nvmlkit::serve {

class Comparison {
 public:
  // The recording's `from_ms` is at this time of the machine.
  Comparison(std::shared_ptr<const Curves> curves, std::int64_t machine_us, std::int64_t from_ms);

  // Goes to the time of a sample. After the end nothing is recorded, and nothing deviates.
  void go_to(std::int64_t machine_us);

  // What was recorded, which counts as far from the live value as it is. Nothing: no such value at this time.
  std::optional<double> recorded(std::string_view measure, std::size_t gpu, std::optional<double> live);

  const Curve* find(std::string_view measure) const;
  const Curves& curves() const { return *curves_; }

  // With the mean and the largest deviation of each measure and GPU so far.
  nlohmann::ordered_json status() const;

 private:
  struct Deviation {
    std::uint64_t count = 0;
    double sum = 0, largest = 0;
  };

  std::shared_ptr<const Curves> curves_;
  std::int64_t begin_us_, from_ms_, at_ms_;
  std::vector<std::vector<Deviation>> deviations_;  // as the curves
};

}  // namespace nvmlkit::serve
