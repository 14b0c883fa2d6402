#include "smi/log/samples.hpp"

#include <algorithm>

namespace nvmlkit::smi {
namespace {

using nvml::SamplingType;

std::string in_unit(SamplingType type, double value) {
  if (type == SamplingType::total_power) return fmt::format("{:.2f} W", value / 1000);
  const bool clock = type == SamplingType::processor_clk || type == SamplingType::memory_clk;
  return fmt::format("{} {}", static_cast<long long>(value), clock ? "MHz" : "%");
}

}  // namespace

void add_samples(const Gpu& gpu, const char* label, SamplingType type, Lines& lines) {
  lines.push_back({.depth = 1, .label = label});
  const auto add = [&](const char* name, std::string value) {
    lines.push_back({.depth = 2, .label = name, .value = std::move(value)});
  };
  const auto samples = gpu->samples(type);
  constexpr const char* kNames[] = {"Duration", "Number of Samples", "Max", "Min", "Avg"};
  if (!samples || samples->empty()) {
    const auto reason = samples ? "Not Found" : gpu.failure(samples.error());
    for (const auto* name : kNames) add(name, reason);
    return;
  }
  const auto by_time = [](const nvml::Sample& a, const nvml::Sample& b) { return a.time < b.time; };
  const auto [first, last] = std::minmax_element(samples->begin(), samples->end(), by_time);
  double least = 0, most = 0, sum = 0;
  for (const auto& sample : *samples) {
    const double value = nvml::as_double(sample.value);
    least = &sample == &samples->front() ? value : std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  add(kNames[0], fmt::format("{:.2f} sec", static_cast<double>((last->time - first->time).count()) / 1e6));
  add(kNames[1], std::to_string(samples->size()));
  add(kNames[2], in_unit(type, most));
  add(kNames[3], in_unit(type, least));
  add(kNames[4], in_unit(type, sum / static_cast<double>(samples->size())));
}

}  // namespace nvmlkit::smi
