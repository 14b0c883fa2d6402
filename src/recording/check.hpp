// Holds what a machine shows against what was recorded.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "recording/timeline.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::recording {

inline constexpr double kTolerance = 0.01;

// Of one quantity.
struct Held {
  std::uint64_t values = 0;
  std::uint64_t off = 0;           // by more than kTolerance, or not there
  std::uint64_t out_of_reach = 0;  // of a GPU that is lost: nothing shows them
  double worst = 0;                // the largest difference as a share of the recorded value
  std::string first_off;           // the GPU, its time and both values
};

class Check {
 public:
  explicit Check(const sim::Machine& machine) : machine_(machine) {}

  // Reads each value of the frame back, now.
  void look(const Frame& frame, std::int64_t first_ms);

  const std::map<Quantity, Held>& held() const { return held_; }
  bool holds() const;

 private:
  const sim::Machine& machine_;
  std::map<Quantity, Held> held_;
};

// What the GPU of the machine shows of a quantity, in the unit of its row.
std::optional<double> shown_of(const sim::Machine& machine, std::size_t place, const sim::model::Gpu& copy,
                               Quantity quantity);

}  // namespace nvmlkit::recording
