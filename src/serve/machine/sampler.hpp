// Samples of a machine as JSON: a list of numbers for each measure, one of each GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/comparison/comparison.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::serve {

class Sampler {
 public:
  // The machine outlives the sampler.
  explicit Sampler(const sim::Machine& machine);

  // {"time_ms":...,"pace":...,"values":{"utilization":[...],...}}, without line ends. Values of GPUs out of reach are
  // null. Rates count from the sample before. With a comparison the sample has "recorded", too, of the same form as
  // "values".
  std::string take(Comparison* comparison = nullptr);

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
  struct Column {
    std::string_view name;
    std::vector<std::optional<double>> values;
  };
  Row read(std::size_t index) const;
  std::vector<Column> columns();
  static void append_recorded(std::string& out, Comparison& comparison, const std::vector<Column>& live,
                              std::int64_t machine_us);

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
