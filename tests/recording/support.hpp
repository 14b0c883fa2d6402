// Recordings from text, and machines that they drive, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "recording/check.hpp"
#include "recording/drive.hpp"
#include "recording/place.hpp"
#include "recording/play.hpp"
#include "recording/read.hpp"
#include "scenario/play.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"
#include "sim/state/clock.hpp"

namespace nvmlkit::recording {

inline std::unique_ptr<sim::Machine> make_machine(const std::string& name, int gpus) {
  auto loaded = sim::load_machine({{"NVMLKIT_MACHINE", name}, {"NVMLKIT_GPU_COUNT", std::to_string(gpus)}});
  EXPECT_TRUE(loaded);
  scenario::begin_anew(**loaded, 0);
  return std::move(*loaded);
}

inline Recording read_text(const std::string& text, const ReadOptions& options = {}) {
  Recording out;
  const auto format = read("r", text, options, out);
  EXPECT_TRUE(format) << (format ? "" : sim::text_of(format.error()));
  put_in_order(out);
  return out;
}

inline std::string refusal_of(const std::string& text) {
  Recording out;
  const auto format = read("r", text, {}, out);
  return format ? "" : sim::text_of(format.error());
}

// The value of a quantity of a GPU of the recording at a time; -1 for none.
inline double value_at(const Recording& recording, std::uint32_t gpu, Quantity quantity, std::int64_t at_ms) {
  for (const auto& sample : recording.samples)
    if (sample.gpu == gpu && sample.quantity == quantity && sample.at_ms == at_ms) return sample.value;
  return -1;
}

// What the GPU of a machine shows now.
inline double shown_now(const sim::Machine& machine, std::size_t place, Quantity quantity) {
  return shown_of(machine, place, machine.gpus()[place], quantity).value_or(-1);
}

}  // namespace nvmlkit::recording
