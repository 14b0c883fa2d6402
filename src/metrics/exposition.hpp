// The text format of Prometheus: families of samples.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace nvmlkit::metrics {

// The types of families.
inline constexpr std::string_view kGauge = "gauge", kCounter = "counter";

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

class Exposition {
 public:
  // The samples that follow belong to it. A family without samples leaves no trace.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(Labels labels, double value);
  void sample(Labels labels, std::uint64_t value);

  const std::string& text() const { return text_; }

 private:
  void add(Labels labels, const std::string& value);

  std::string text_, name_, header_;
};

}  // namespace nvmlkit::metrics
