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

void append_column(std::string& out, std::string_view name, const std::vector<Number>& values) {
  if (out.back() != '{') out += ',';
  out.append("\"").append(name).append("\":[");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append(out, values[i]);
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

std::vector<Sampler::Column> Sampler::columns() {
  const auto count = machine_.gpus().size();
  std::vector<Row> rows;
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(read(i));
  std::vector<Column> out;
  const auto add = [&](std::string_view name, auto value) {
    auto& column = out.emplace_back(Column{name, std::vector<Number>(count)});
    for (std::size_t i = 0; i < count; ++i)
      if (rows[i].reachable) column.values[i] = value(rows[i], i);
  };
  for (std::size_t m = 0; m < measures().size(); ++m)
    add(measures()[m].name, [&](const Row& row, std::size_t) { return row.values[m]; });
  add("memory_used", [](const Row& row, std::size_t) { return row.memory_used; });
  add("nvlink", [&](const Row& row, std::size_t i) -> Number {
    const auto& now = row.nvlink;
    const auto& before = before_[i];
    const double seconds = static_cast<double>(now.at_ns - before.at_ns) * 1e-9;
    if (!now.bytes || !before.bytes || seconds <= 0) return std::nullopt;
    return std::max(*now.bytes - *before.bytes, 0.0) / seconds / 1e6;
  });
  for (std::size_t i = 0; i < count; ++i) before_[i] = rows[i].nvlink;
  return out;
}

std::string Sampler::take(Comparison* comparison) {
  sim::Clock clock{};
  (void)sim::state::consistently(machine_, machine_.sequence(), [&] { clock = machine_.host().clock; });
  const auto machine_us = sim::unix_us(machine_, sim::now_ns(machine_));
  std::string out =
      "{\"time_ms\":" + std::to_string(unix_ms()) + ",\"machine_us\":" + std::to_string(machine_us) + ",\"pace\":";
  append(out, clock.set == 0 ? 1 : clock.pace);
  const auto live = columns();
  out += ",\"values\":{";
  for (const auto& column : live) append_column(out, column.name, column.values);
  out += '}';
  if (comparison != nullptr) append_recorded(out, *comparison, live, machine_us);
  return out + "}";
}

void Sampler::append_recorded(std::string& out, Comparison& comparison, const std::vector<Column>& live,
                              std::int64_t machine_us) {
  comparison.go_to(machine_us);
  out += ",\"recorded\":{";
  for (const auto& column : live) {
    if (comparison.find(column.name) == nullptr) continue;
    std::vector<Number> values(column.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = comparison.recorded(column.name, i, column.values[i]);
    append_column(out, column.name, values);
  }
  out += '}';
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
