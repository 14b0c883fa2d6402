// Which GPUs are shown: words that all have to hold, as `h100 util>50 throttled`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "top/readings.hpp"

namespace nvmlkit::top {

enum class Measure : unsigned char { utilization, memory, power, temperature, clock };
inline constexpr std::size_t kMeasures = static_cast<std::size_t>(Measure::clock) + 1;

// util, mem, power, temp, clock.
std::string_view word_of(Measure measure);
// In percent, percent, watts, degrees Celsius, MHz.
Value value_of(Measure measure, const RowValues& row);

class Filter {
 public:
  Filter() = default;
  // Any text is a filter: a word that is no condition is looked for in index, name, bus ID and UUID.
  explicit Filter(std::string_view text);

  bool empty() const { return terms_.empty(); }
  bool matches(std::size_t index, const GpuReadings& gpu) const;
  // What has to be known of every GPU.
  bool needs_values() const;
  bool needs_facts() const;

 private:
  enum class Kind : unsigned char { text, indices, compare, lost, busy, throttled };
  struct Term {
    Kind kind = Kind::text;
    std::string text;                 // in lower case
    std::size_t first = 0, last = 0;  // indices
    Measure measure = Measure::utilization;
    bool less = false, or_equal = false;
    double limit = 0;
  };
  static Term term_of(std::string_view word);
  static std::optional<Term> comparison_of(std::string_view word);
  static std::optional<Term> indices_of(std::string_view word);
  static bool matches(const Term& term, std::size_t index, const GpuReadings& gpu);

  std::vector<Term> terms_;
};

// Reasons that hold clocks below what the load asks for.
bool is_throttled(const RowValues& row);

}  // namespace nvmlkit::top
