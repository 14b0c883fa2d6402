// The text format of Prometheus: families of samples.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace nvmlkit::metrics {

// The types of families.
inline constexpr std::string_view kGauge = "gauge", kCounter = "counter";

using Label = std::pair<std::string_view, std::string_view>;
using Labels = std::initializer_list<Label>;

// {KEY="VALUE",...}, with what has to be escaped; nothing for no labels.
void append_labels(std::string& out, std::span<const Label> labels);

class Exposition {
 public:
  // The samples that follow belong to it. A family without samples leaves no trace.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(Labels labels, double value) { sample(std::span<const Label>(labels.begin(), labels.size()), value); }
  void sample(Labels labels, std::uint64_t value);
  void sample(std::span<const Label> labels, double value);

  const std::string& text() const { return text_; }

 private:
  void add(std::span<const Label> labels, const std::string& value);

  std::string text_, name_, header_;
};

}  // namespace nvmlkit::metrics
