// The fields of a GPU as numbers, by their paths: read at any time, set, pinned, counted on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recording/recording.hpp"
#include "sim/state/machine.hpp"

namespace nvmlkit::recording {

using sim::model::Gpu;

// What the field shows at a time; nothing if the GPU does not have it. `gpu` may be a copy.
std::optional<double> shown_at(const sim::Machine& machine, const Gpu& gpu, std::string_view path, std::int64_t at_ns);

// Sets the field as a machine file does.
Expected<void> set_field(Gpu& gpu, std::string_view path, double value);

// Sets a live field, which stays until its release.
Expected<void> pin_field(Gpu& gpu, std::string_view path, double value);
bool is_pinned_field(const Gpu& gpu, std::string_view path);

// Lets a live field that counts go on from `value`. False if the GPU does not have it, or no time has begun for it.
bool count_from(const sim::Machine& machine, Gpu& gpu, std::string_view path, double value, std::int64_t at_ns);

// Plans the future of a copy of a GPU by its fields, from the time on.
void plan_anew(Gpu& gpu, std::int64_t at_ns);

}  // namespace nvmlkit::recording
