// The lines above and below the list.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "top/draw.hpp"
#include "top/keys.hpp"
#include "top/numbers.hpp"

namespace nvmlkit::top {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

std::string clock_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

Line title_of(const Picture& picture, std::size_t columns) {
  const auto& machine = picture.machine;
  const auto& view = picture.view;
  std::string left = fmt::format(" nvmlkit top  {}  {} GPU{}", shown(host_name(), true), machine.size(),
                                 machine.size() == 1 ? "" : "s");
  if (!machine.driver().driver.empty()) left += "  driver " + shown(machine.driver().driver, true);
  if (!machine.driver().cuda.empty()) left += "  CUDA " + machine.driver().cuda;
  const auto right = fmt::format("{}{} s  {} ", view.paused ? "paused  " : "", view.interval, clock_now());
  Line out;
  if (columns < 50) return out.add_left(left, columns, Style::title);
  const auto room = columns > right.size() ? columns - right.size() : 0;
  return out.add_left(left, room, Style::title).add(right, Style::title);
}

// Sums over the GPUs in view.
struct Totals {
  std::size_t gpus = 0, busy = 0, lost = 0;
  double utilization = 0, used = 0, memory = 0, power = 0, limit = 0;
  Value hottest;
  std::size_t hottest_gpu = 0;

  void add(std::size_t index, const GpuReadings& gpu) {
    ++gpus;
    if (gpu.lost()) ++lost;
    const auto& row = gpu.row;
    if (row.utilization) ++busy;
    utilization += row.utilization.value_or(0);
    used += row.memory_used.value_or(0);
    memory += row.memory_total.value_or(0);
    power += row.power.value_or(0);
    limit += row.power_limit.value_or(0);
    if (row.temperature && row.temperature > hottest) {
      hottest = row.temperature;
      hottest_gpu = index;
    }
  }
};

Line totals_of(const Picture& picture) {
  const auto& machine = picture.machine;
  const auto& view = picture.view;
  Totals totals;
  for (const auto& block : picture.layout.blocks)
    if (picture.layout.shows(block, view.top)) totals.add(block.gpu, machine.gpu(block.gpu));
  Line out;
  const auto pair = [&](std::string_view label, const std::string& text, Style style) {
    out.add(out.columns() == 0 ? " " : "  ").add(label, Style::dim).add(" ").add(text, style);
  };
  if (totals.gpus < machine.size())
    pair("in view", fmt::format("{} of {}", totals.gpus, machine.size()), Style::strong);
  if (totals.lost > 0) pair("lost", std::to_string(totals.lost), Style::bad);
  if (view.sort || view.reversed)
    pair("sort",
         fmt::format("{}{}", view.sort ? word_of(*view.sort) : "index",
                     view.sort.has_value() != view.reversed ? view.symbols.down() : view.symbols.up()),
         Style::plain);
  if (!view.filter.empty()) pair("filter", view.filter_text, Style::strong);
  if (totals.busy > 0)
    pair("util", fmt::format("{:.0f}%", totals.utilization / static_cast<double>(totals.busy)), Style::good);
  if (totals.memory > 0) pair("mem", memory_of(totals.used, totals.memory), Style::memory);
  if (totals.power > 0)
    pair("power", power_of(totals.power, totals.limit > 0 ? Value(totals.limit) : Value()), Style::power);
  if (totals.hottest)
    pair("hottest", fmt::format("{}{} GPU {}", count(totals.hottest), view.symbols.degrees(), totals.hottest_gpu),
         Style::plain);
  return out;
}

}  // namespace

Frame head_of(const Picture& picture, std::size_t columns) {
  Frame out;
  out.push_back(title_of(picture, columns));
  out.push_back(totals_of(picture));
  return out;
}

Line foot_of(const Picture& picture, std::size_t columns) {
  const auto& view = picture.view;
  Line out;
  switch (view.question) {
    case Question::filter:
      return out.add(" filter: ", Style::strong).add(view.answer).add("_", Style::strong);
    case Question::load:
      return out.add(fmt::format(" load GPU {} (percent, or off): ", view.chosen), Style::strong)
          .add(view.answer)
          .add("_", Style::strong);
    case Question::command:
      return out.add(" : ", Style::strong).add(view.answer).add("_", Style::strong);
    case Question::none:
      break;
  }
  if (!view.message.empty())
    return out.add(" ").add(shown(view.message, view.symbols.ascii), view.message_is_bad ? Style::bad : Style::good);
  const auto hint = [&](std::string_view key, std::string_view meaning) {
    if (out.columns() + key.size() + meaning.size() + 3 > columns) return;
    out.add(out.columns() == 0 ? " " : "  ").add(key, Style::strong).add(" ").add(meaning, Style::dim);
  };
  hint("?", "help");
  hint("q", "quit");
  hint("space", "fold");
  hint("s", "sort");
  hint("/", "filter");
  hint("e", "events");
  if (!view.can_steer) return out;
  hint("l", "load");
  hint("f", "break");
  hint("h", "heal");
  hint(":", "command");
  return out;
}

}  // namespace nvmlkit::top
