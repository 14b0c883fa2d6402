// Lines, quantities, columns and the words of a state.
#include <gtest/gtest.h>

#include <clocale>

#include "top/columns.hpp"
#include "top/details.hpp"
#include "top/line.hpp"
#include "top/numbers.hpp"

namespace nvmlkit::top {
namespace {

TEST(Line, CountsCharactersAndNotBytes) {
  Line line;
  line.add("61°C").add_left("abcdef", 4, Style::dim).add_right("7", 3).pad_to(13);
  EXPECT_EQ(line.columns(), 13U);
  EXPECT_EQ(line.text(), "61°Cabcd  7");
  line.cut(3);
  EXPECT_EQ(line.text(), "61°");
  EXPECT_EQ(line.columns(), 3U);
}

TEST(Line, TextOfOthersIsShownInOneColumnForEachCharacter) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  EXPECT_EQ(shown("a\033[31mb\n\x7f", false), "a?[31mb??");
  EXPECT_EQ(shown("gr\xc3\xb6\xc3\x9f", false), "größ");
  EXPECT_EQ(shown("gr\xc3\xb6", true), "gr?");
  EXPECT_EQ(shown("\xe4\xb8\xad|\xff\xc3", false), "?|??");  // a character of two columns, and no UTF-8
}

TEST(Numbers, HaveThreeDigitsThatCount) {
  EXPECT_EQ(percent(92.4), "92%");
  EXPECT_EQ(percent({}), "-");
  EXPECT_EQ(memory_of(71.24 * (1ULL << 30), 80.0 * (1ULL << 30)), "71.2/80G");
  EXPECT_EQ(memory_of(270.6 * (1ULL << 30), 288.0 * (1ULL << 30)), "271/288G");
  EXPECT_EQ(power_of(611.6, 700), "612/700W");
  EXPECT_EQ(power_of(70, {}), "70W");
  EXPECT_EQ(bytes(512), "512B");
  EXPECT_EQ(bytes(1.5 * 1024 * 1024 * 1024), "1.5G");
  EXPECT_EQ(bytes(1023.0 * 1024), "1.0M");
  EXPECT_EQ(rate(999'600), "1.0 MB/s");
  EXPECT_EQ(rate(95'600'000'000), "95.6 GB/s");
  EXPECT_EQ(rate(0), "0 B/s");
}

TEST(Columns, FitAndBeginWithTheMostImportant) {
  std::size_t before = 0;
  for (std::size_t columns = 20; columns < 400; ++columns) {
    const auto placed = columns_for(columns, true);
    std::size_t used = 2;
    for (const auto& place : placed) used += place.width + 1;
    EXPECT_LE(used, columns + 1) << columns;
    EXPECT_GE(used, before) << columns;  // a wider terminal never shows less
    before = used;
    EXPECT_EQ(placed.front().column, Column::index);
    const auto row = row_of(1023, GpuReadings(), placed, {true, false}, 1, {});
    EXPECT_EQ(row.columns(), heading_of(placed).columns());
  }
  EXPECT_EQ(columns_for(80, false).back().column, Column::state);
}

TEST(State, NamesTheGravestReasonFirst) {
  using nvml::ClocksEventReason;
  GpuReadings gpu;
  gpu.status = nvml::Errc::success;
  gpu.row.reasons = ClocksEventReason::gpu_idle | ClocksEventReason::hw_thermal_slowdown;
  EXPECT_EQ(state_of(gpu).text, "HW thermal, idle");
  EXPECT_EQ(state_of(gpu).style, Style::bad);
  gpu.row.reasons = nvml::ClocksEventReasons(1ULL << 40);
  EXPECT_EQ(state_of(gpu).text, "0x10000000000");
  gpu.status = nvml::Errc::gpu_is_lost;
  EXPECT_EQ(state_of(gpu).text, "LOST");
  gpu.status = nvml::Errc::no_permission;
  EXPECT_EQ(state_of(gpu).text, "no permission");
}

TEST(Details, HaveTheHeightThatWasPromised) {
  GpuReadings gpu;
  const auto expect = [&] {
    for (const std::size_t columns : {20U, 80U, 300U}) {
      const auto lines = details_of(gpu, columns, 3, 1, {});
      EXPECT_EQ(lines.size(), height_of_details(gpu, 3));
      for (const auto& line : lines) EXPECT_LE(line.columns(), columns);
    }
  };
  expect();
  gpu.status = nvml::Errc::success;
  gpu.mig = true;
  expect();
  gpu.mig_devices.resize(3);
  gpu.processes.resize(2);
  expect();
  gpu.status = nvml::Errc::gpu_is_lost;
  expect();
}

}  // namespace
}  // namespace nvmlkit::top
