// Samples of a machine as JSON: a list of numbers for each measure, one of each GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

class Sampler {
 public:
  // The machine outlives the sampler.
  explicit Sampler(const sim::Machine& machine);

  // {"time_ms":...,"pace":...,"values":{"utilization":[...],...}}, without line ends. Values of GPUs out of reach are
  // null. Rates count from the sample before.
  std::string take();

 private:
  struct Sent {
    std::int64_t at_ns = 0;
    std::optional<double> bytes;
  };
  struct Row {
    bool reachable = false;
    std::vector<std::optional<double>> values;
    std::optional<double> memory_used;
    Sent nvlink;
  };
  Row read(std::size_t index) const;

  const sim::Machine& machine_;
  std::vector<Sent> before_;
};

// The newest samples, of bounded number and size.
class History {
 public:
  void add(std::string sample);
  // As a JSON list, oldest first.
  std::string newest(std::size_t count) const;

 private:
  std::deque<std::string> samples_;
  std::size_t bytes_ = 0;
};

}  // namespace nvmlkit::serve
