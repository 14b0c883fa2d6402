#include "recording/fields.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <variant>

#include "sim/config/reader.hpp"
#include "sim/generated/model_descriptors.hpp"
#include "sim/telemetry/inputs.hpp"
#include "sim/telemetry/plan.hpp"
#include "sim/telemetry/reading.hpp"
#include "sim/text/paths.hpp"
#include "sim/text/scalar.hpp"
#include "sim/text/walk.hpp"

namespace nvmlkit::recording {
namespace {

using namespace sim;

std::optional<double> number_of_scalar(const text::Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> std::optional<double> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<T>)
          return static_cast<double>(value);
        else
          return {};
      },
      scalar);
}

std::optional<double> still_value(const Gpu& gpu, std::string_view path) {
  const auto found = text::find_field(model::descriptor<Gpu>(), path, reinterpret_cast<const std::byte*>(&gpu));
  if (!found) return {};
  const auto part = text::part_of(*found.field, found.structure);
  if (part.form != text::Form::scalar) return {};
  return number_of_scalar(text::scalar_at(*part.field, part.at));
}

bool is_truth(std::string_view path) {
  constexpr std::string_view kReasons = "clocks_throttle_reasons.";
  if (path.starts_with(kReasons)) return path.find('.', kReasons.size()) == std::string_view::npos;
  return path.ends_with("_occurred") || path.ends_with(".pending");
}

std::string text_of_number(std::string_view path, double value) {
  if (is_truth(path)) return value != 0 ? "true" : "false";
  const auto whole = std::to_string(std::llround(std::clamp(value, -9e15, 9e15)));
  return path == "performance_state" ? std::string(1, 'P').append(whole) : whole;
}

}  // namespace

std::optional<double> shown_at(const Machine& machine, const Gpu& gpu, std::string_view path, std::int64_t at_ns) {
  std::optional<double> out;
  bool live = false;
  model::each_live(gpu, [&](std::string_view at, const auto& field) {
    if (at != path) return;
    live = true;
    const auto value = telemetry::Reading(machine, gpu, at_ns)(field);
    if (value) out = static_cast<double>(*value);
  });
  return live ? out : still_value(gpu, path);
}

Expected<void> set_field(Gpu& gpu, std::string_view path, double value) {
  return config::assign(model::descriptor<Gpu>(), reinterpret_cast<std::byte*>(&gpu), path,
                        text_of_number(path, value));
}

Expected<void> pin_field(Gpu& gpu, std::string_view path, double value) {
  Expected<void> done = {};
  model::each_live(gpu, [&](std::string_view at, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (at != path) return;
    const auto before = field;
    const auto index = static_cast<std::size_t>(Field::kId);
    done = set_field(gpu, path, value);
    if (!done || telemetry::is_pinned(gpu.motion, Field::kId)) return;
    gpu.motion.replaced[index] = 0;
    std::memcpy(&gpu.motion.replaced[index], &before.value, sizeof before.value);
    gpu.motion.pinned |= std::uint64_t{1} << index;
  });
  return done;
}

bool is_pinned_field(const Gpu& gpu, std::string_view path) {
  bool out = false;
  model::each_live(gpu, [&](std::string_view at, const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if (at == path) out = telemetry::is_pinned(gpu.motion, Field::kId);
  });
  return out;
}

// Counters are integrals of the phases. All phases move by the difference: what follows from two of them stays.
bool count_from(const Machine& machine, Gpu& gpu, std::string_view path, double value, std::int64_t at_ns) {
  constexpr std::string_view kPaths[] = {"power.total_energy_consumption_mj",
                                         "clocks_throttle_reasons.counters.sw_power_cap_us",
                                         "clocks_throttle_reasons.counters.sw_thermal_slowdown_us"};
  const auto now = shown_at(machine, gpu, path, at_ns);
  const auto counter = std::find(std::begin(kPaths), std::end(kPaths), path) - std::begin(kPaths);
  auto& state = gpu.motion;
  if (!now || counter == std::ssize(kPaths) || state.phase_count == 0) return false;
  for (auto& phase : std::span(state.phases).first(state.phase_count)) {
    if (counter == 0)
      phase.joules += (value - *now) / 1e3;
    else
      phase.limited_s[counter - 1] += (value - *now) / 1e6;
  }
  return true;
}

void plan_anew(Gpu& gpu, std::int64_t at_ns) { telemetry::plan(gpu.motion, telemetry::inputs_of(gpu), at_ns); }

}  // namespace nvmlkit::recording
