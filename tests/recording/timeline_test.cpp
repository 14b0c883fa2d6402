// Frames: what happens together, where series pause, and which part of a recording is played.
#include "support.hpp"

namespace nvmlkit::recording {
namespace {

std::string temperatures(const std::vector<int>& at_s) {
  std::string out;
  for (const auto at : at_s) out += "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 50 " + std::to_string(at) + "\n";
  return out;
}

TEST(Timelines, ASeriesPausesBehindFourDistances) {
  const auto recording =
      read_text(temperatures({0, 30, 60, 90, 600, 630}) + "DCGM_FI_DEV_FAN_SPEED{gpu=\"0\"} 50 630\n");
  const Timeline timeline(recording, {0});
  const auto frames = timeline.frames();
  ASSERT_EQ(frames.size(), 7U);
  EXPECT_EQ(frames[4].at_ms, (90 + 120) * 1000);
  EXPECT_TRUE(frames[4].values.empty());
  ASSERT_EQ(frames[4].ends.size(), 1U);
  EXPECT_EQ(frames[4].ends[0].quantity, Quantity::gpu_temperature);
  EXPECT_EQ(frames[6].values.size(), 2U);
  EXPECT_EQ(timeline.duration_ms(), 630'000);
}

TEST(Timelines, ShortPausesAreNone) {
  const Timeline timeline(read_text(temperatures({0, 1, 2, 3, 50, 51})), {0});
  for (const auto& frame : timeline.frames()) EXPECT_TRUE(frame.ends.empty());
}

TEST(Timelines, PartsOfARecording) {
  const Timeline timeline(read_text(temperatures({100, 110, 120, 130, 140})), {0}, {10'000, 30'000});
  const auto frames = timeline.frames();
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames.front().at_ms, 110'000);
  EXPECT_EQ(frames.back().at_ms, 130'000);
}

TEST(Timelines, ABetterNameReplacesAWeakOne) {
  const auto read = read_text(
      "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\"} 0.5 1\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 60 1\n"
      "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"1\"} 0.25 1\n");
  EXPECT_EQ(value_at(read, 0, Quantity::gpu_load, 1000), 60);
  EXPECT_EQ(value_at(read, 1, Quantity::gpu_load, 1000), 25);
}

}  // namespace
}  // namespace nvmlkit::recording
