// Pins: live values that a user has set. They stay until their release, and dependent values follow them.
#pragma once

#include <cstring>
#include <string_view>

#include "sim/telemetry/inputs.hpp"

namespace nvmlkit::sim::telemetry {

// Pins in `after` every live field that is not as in `before`, or that `named(path)`.
template <class Named>
void pin_changes(const model::Gpu& before, model::Gpu& after, Named&& named) {
  model::each_live(after, [&](std::string_view path, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    const auto offset = reinterpret_cast<const std::byte*>(&field) - reinterpret_cast<const std::byte*>(&after);
    const auto& was = *reinterpret_cast<const Field*>(reinterpret_cast<const std::byte*>(&before) + offset);
    if (field == was && !named(path)) return;
    const auto index = static_cast<std::size_t>(Field::kId);
    if (!is_pinned(after.motion, Field::kId)) {
      after.motion.replaced[index] = 0;
      std::memcpy(&after.motion.replaced[index], &was.value, sizeof was.value);
      // What was absent before is there now and stays: there is nothing to go back to.
      if (!was.present) std::memcpy(&after.motion.replaced[index], &field.value, sizeof field.value);
    }
    after.motion.pinned |= std::uint64_t{1} << index;
  });
}

// Releases the live field at `path`, or below it: "thermal", "" for all. How many pins there were.
std::size_t release(model::Gpu& gpu, std::string_view path);

// Is there a live field at `path` or below it?
bool is_live(std::string_view path);

}  // namespace nvmlkit::sim::telemetry
