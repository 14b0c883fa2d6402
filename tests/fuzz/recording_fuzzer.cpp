// Any text is either refused in one line with its place, or becomes a recording that drives a machine to its end.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "recording/check.hpp"
#include "recording/place.hpp"
#include "recording/play.hpp"
#include "recording/read.hpp"
#include "recording/report.hpp"
#include "scenario/play.hpp"
#include "sim/config/load.hpp"
#include "sim/problem/text.hpp"

namespace {

using namespace nvmlkit;

void require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  recording::Recording recorded;
  const auto format = recording::read("input", {reinterpret_cast<const char*>(data), size}, {}, recorded);
  if (!format) {
    const auto what = sim::text_of(format.error());
    require(what.starts_with("input") && what.find('\n') == std::string::npos, "not one line with its place:", what);
    return 0;
  }
  recording::put_in_order(recorded);
  if (!recording::keep_host(recorded, recorded.gpus.front().host)) return 0;
  auto machine = sim::load_machine({{"NVMLKIT_MACHINE", "h100"}, {"NVMLKIT_GPU_COUNT", "2"}});
  if (!machine) std::abort();
  scenario::begin_anew(**machine, 0);
  const auto places = recording::places_on(recorded, **machine);
  if (!places) return 0;
  constexpr std::int64_t kYearMs = 31'536'000'000;  // a clock of floating point goes no further in one step
  const recording::Timeline timeline(recorded, *places, {std::nullopt, kYearMs});
  if (timeline.frames().size() > 200) return 0;
  recording::Drive drive(**machine, timeline);
  recording::Check check(**machine);
  const auto played =
      recording::play(drive, **machine, timeline, [&](const recording::Frame& frame) { check.look(frame, 0); });
  require(static_cast<bool>(played), "cannot be played", "");
  drive.end(true);
  for (const auto& line : recording::summary_of(recorded, drive))
    require(line.find('\n') == std::string::npos, "not one line:", line);
  for (std::size_t i = 0; i < (*machine)->gpus().size(); ++i)
    require((*machine)->gpus()[i].motion.pinned == 0, "a pin is left", std::to_string(i));
  return 0;
}
