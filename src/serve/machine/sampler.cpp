#include "serve/machine/sampler.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "serve/machine/measures.hpp"
#include "sim/native/faults.hpp"
#include "sim/processes/occupants.hpp"
#include "sim/state/clock.hpp"
#include "sim/state/read.hpp"
#include "sim/telemetry/reading.hpp"

namespace nvmlkit::serve {
namespace {

constexpr std::size_t kMostSamples = 600, kMostBytes = 16 << 20;

using Number = std::optional<double>;

// With one digit behind the point at most.
void append(std::string& out, Number value) {
  if (!value || !std::isfinite(*value)) {
    out += "null";
    return;
  }
  char buffer[32];
  const auto rounded = std::round(*value * 10) / 10;
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), rounded).ptr;
  out.append(buffer, end);
}

template <class Value>
void append_column(std::string& out, std::string_view name, std::size_t count, Value value) {
  if (out.back() != '{') out += ',';
  out.append("\"").append(name).append("\":[");
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    append(out, value(i));
  }
  out += ']';
}

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Sampler::Sampler(const sim::Machine& machine) : machine_(machine), before_(machine.gpus().size()) {}

Sampler::Row Sampler::read(std::size_t index) const {
  const auto& gpu = machine_.gpus()[index];
  Row out;
  out.values.resize(measures().size());
  (void)sim::state::consistently(machine_, machine_.sequence(gpu), [&] {
    out.reachable = gpu.faults.availability == sim::faults::Availability::available;
    const sim::telemetry::Reading now(machine_, gpu);
    for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = measures()[i].read(gpu, now);
    out.nvlink = {now.at_ns(), nvlink_bytes(gpu, now)};
    out.memory_used = static_cast<double>(sim::processes::memory_of_board(machine_, gpu).used) / (1 << 20);
  });
  return out;
}

std::string Sampler::take() {
  const auto count = machine_.gpus().size();
  std::vector<Row> rows;
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(read(i));
  sim::Clock clock{};
  (void)sim::state::consistently(machine_, machine_.sequence(), [&] { clock = machine_.host().clock; });
  std::string out = "{\"time_ms\":" + std::to_string(unix_ms()) +
                    ",\"machine_us\":" + std::to_string(sim::unix_us(machine_, sim::now_ns(machine_))) + ",\"pace\":";
  append(out, clock.set == 0 ? 1 : clock.pace);
  out += ",\"values\":{";
  for (std::size_t m = 0; m < measures().size(); ++m)
    append_column(out, measures()[m].name, count,
                  [&](std::size_t i) { return rows[i].reachable ? rows[i].values[m] : std::nullopt; });
  append_column(out, "memory_used", count,
                [&](std::size_t i) { return rows[i].reachable ? rows[i].memory_used : std::nullopt; });
  append_column(out, "nvlink", count, [&](std::size_t i) -> Number {
    const auto& now = rows[i].nvlink;
    const auto before = std::exchange(before_[i], now);
    const double seconds = static_cast<double>(now.at_ns - before.at_ns) * 1e-9;
    if (!rows[i].reachable || !now.bytes || !before.bytes || seconds <= 0) return std::nullopt;
    return std::max(*now.bytes - *before.bytes, 0.0) / seconds / 1e6;
  });
  out += "}}";
  return out;
}

void History::add(std::string sample) {
  bytes_ += sample.size();
  samples_.push_back(std::move(sample));
  while (samples_.size() > kMostSamples || bytes_ > kMostBytes) {
    bytes_ -= samples_.front().size();
    samples_.pop_front();
  }
}

std::string History::newest(std::size_t count) const {
  std::string out = "[";
  for (auto i = samples_.size() - std::min(count, samples_.size()); i < samples_.size(); ++i) {
    if (out.size() > 1) out += ',';
    out += samples_[i];
  }
  return out + "]";
}

}  // namespace nvmlkit::serve
