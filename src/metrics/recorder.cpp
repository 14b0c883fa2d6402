#include "metrics/recorder.hpp"

#include <array>
#include <charconv>

#include "metrics/dcgm_values.hpp"
#include "sim/state/clock.hpp"

namespace nvmlkit::metrics {
namespace {

constexpr std::uint64_t kUsPerMs = 1000;

// Seconds with three digits behind the point.
std::string stamp_of(std::uint64_t ms) {
  auto fraction = std::to_string(ms % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(ms / 1000) + "." + fraction;
}

}  // namespace

bool Recorder::scrape(const sim::Machine& machine) {
  families_.resize(dcgm_values().size());
  std::string stamp(1, ' ');
  stamp += stamp_of(sim::unix_us(machine, sim::now_ns(machine)) / kUsPerMs);
  stamp += '\n';
  return each_dcgm_value(machine, host_, [&](const DcgmValue& value, const DcgmLabels& labels, double number) {
    auto& text = families_[static_cast<std::size_t>(&value - dcgm_values().data())];
    text += value.name;
    append_labels(text, labels.pairs());
    std::array<char, 64> out{};
    const auto end = std::to_chars(out.data(), out.data() + out.size(), number).ptr;
    text.append(" ").append(out.data(), end).append(stamp);
  });
}

std::string Recorder::text() const {
  std::string out;
  for (const auto& family : families_) out += family;
  return out + "# EOF\n";
}

}  // namespace nvmlkit::metrics
