#include "serve/comparison/curves.hpp"

#include <algorithm>

#include "recording/place.hpp"
#include "recording/read.hpp"
#include "recording/timeline.hpp"

namespace nvmlkit::serve {
namespace {

using recording::Quantity;

constexpr std::size_t kMostText = 64 << 20;

// A measure and where a recording has it: the first of the quantities that it contains. `divisor` leads from the unit
// of the model to that of the measure.
struct Source {
  std::string_view measure;
  Quantity quantity, otherwise;
  double divisor;
};
constexpr Source kSources[] = {
    {"utilization", Quantity::gpu_load, Quantity::gpu_load, 1},
    {"memory_utilization", Quantity::memory_load, Quantity::memory_load, 1},
    {"memory_used", Quantity::memory_used, Quantity::memory_used, 1 << 20},
    {"power", Quantity::power_draw, Quantity::average_power, 1000},
    {"power_limit", Quantity::power_limit, Quantity::power_limit, 1000},
    {"temperature", Quantity::gpu_temperature, Quantity::gpu_temperature, 1},
    {"memory_temperature", Quantity::memory_temperature, Quantity::memory_temperature, 1},
    {"sm_clock", Quantity::sm_clock, Quantity::graphics_clock, 1},
    {"memory_clock", Quantity::memory_clock, Quantity::memory_clock, 1},
    {"performance_state", Quantity::performance_state, Quantity::performance_state, 1},
    {"fan", Quantity::fan_speed, Quantity::fan_speed, 1},
    {"pcie_tx", Quantity::pcie_sent, Quantity::pcie_sent, 1000},
    {"pcie_rx", Quantity::pcie_received, Quantity::pcie_received, 1000},
    {"ecc_corrected", Quantity::ecc_volatile_corrected, Quantity::ecc_volatile_corrected, 1},
    {"ecc_uncorrected", Quantity::ecc_volatile_uncorrected, Quantity::ecc_volatile_uncorrected, 1},
};

bool contains(const recording::Timeline& timeline, Quantity quantity) {
  return std::any_of(timeline.values().begin(), timeline.values().end(),
                     [&](const auto& each) { return each.quantity == quantity; });
}

Curve curve_of(const std::vector<recording::Frame>& frames, Quantity quantity, const Source& source, std::size_t gpus) {
  Curve out{source.measure, std::vector<std::vector<Point>>(gpus)};
  for (const auto& frame : frames) {
    const auto at_ms = frame.at_ms - frames.front().at_ms;
    for (const auto& value : frame.values)
      if (value.quantity == quantity) out.gpus[value.place].push_back({at_ms, value.value / source.divisor});
    for (const auto& end : frame.ends)
      if (end.quantity == quantity) out.gpus[end.place].push_back({at_ms, std::nullopt});
  }
  return out;
}

}  // namespace

sim::Expected<Curves> read_curves(const std::string& name, std::string_view text, const sim::Machine& machine) {
  recording::Recording all;
  const auto format = recording::read(name, text, {.most_text = kMostText}, all);
  if (!format) return sim::fail(format.error());
  if (auto kept = recording::keep_host(all, {}); !kept) return sim::fail(kept.error());
  recording::put_in_order(all);
  const auto places = recording::places_on(all, machine);
  if (!places) return sim::fail(places.error());
  const recording::Timeline timeline(all, *places);
  const auto frames = timeline.frames();
  Curves out;
  out.name = name;
  out.format = recording::name_of(*format);
  for (const auto& source : kSources) {
    const auto quantity = contains(timeline, source.quantity) ? source.quantity : source.otherwise;
    if (contains(timeline, quantity)) out.curves.push_back(curve_of(frames, quantity, source, machine.gpus().size()));
  }
  if (out.curves.empty())
    return sim::fail({.kind = sim::ProblemKind::missing,
                      .what = "the recording has no value that the page shows",
                      .hint = "record utilization, power, temperature, memory or clocks",
                      .place = {.file = name}});
  out.duration_ms = frames.back().at_ms - frames.front().at_ms;
  return out;
}

std::optional<double> value_at(const std::vector<Point>& points, std::int64_t at_ms) {
  const auto next = std::upper_bound(points.begin(), points.end(), at_ms,
                                     [](std::int64_t at, const Point& each) { return at < each.at_ms; });
  return next == points.begin() ? std::nullopt : std::prev(next)->value;
}

}  // namespace nvmlkit::serve
