// The lines below an unfolded GPU: curves, clocks, links, errors, MIG devices, processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "top/line.hpp"
#include "top/readings.hpp"
#include "top/symbols.hpp"

namespace nvmlkit::top {

inline constexpr std::size_t kUsualCurve = 3;

// How many lines details_of() returns.
std::size_t height_of_details(const GpuReadings& gpu, std::size_t curve_rows);

std::vector<Line> details_of(const GpuReadings& gpu, std::size_t columns, std::size_t curve_rows, std::uint64_t frame,
                             const Symbols& symbols);

// "power cap, idle"; empty when there are none.
std::string text_of(nvml::ClocksEventReasons reasons);
// The state of a GPU in a few words, the gravest first, and how grave it is.
Span state_of(const GpuReadings& gpu);

// Green, yellow or red by the share of a limit.
Style style_of(const Value& value, double fair, double bad);

}  // namespace nvmlkit::top
