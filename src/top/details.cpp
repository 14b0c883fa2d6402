#include "top/details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nvmlkit/error.hpp>
#include <utility>

#include "top/numbers.hpp"

namespace nvmlkit::top {
namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLinesOfText = 3;  // clocks, links, errors
constexpr double kUsualSlowdown = 95;    // degrees Celsius, of a GPU that does not report the limit

Line indented() { return Line().add(std::string(kIndent, ' ')); }

// "  label text" with the label dim, if there is a text.
void add_pair(Line& line, std::string_view label, const std::string& text, Style style = Style::plain) {
  if (text == kNoValue || text.empty()) return;
  if (line.columns() > kIndent) line.add("  ");
  if (!label.empty()) line.add(label, Style::dim).add(" ");
  line.add(text, style);
}

struct Chart {
  std::string title;
  const History* history;
  double full;  // the value at the top
  Style style;
};

void add_charts(std::vector<Line>& out, const std::vector<Chart>& charts, std::size_t columns, std::size_t rows,
                std::uint64_t frame, const Symbols& symbols) {
  const auto shown_charts = columns < 56 ? std::min<std::size_t>(charts.size(), 2) : charts.size();
  const auto room = columns > kIndent ? columns - kIndent : 0;
  const auto width = (room + kGap) / shown_charts > kGap ? (room + kGap) / shown_charts - kGap : 1;
  Line titles = indented();
  std::vector<Line> lines(rows, indented());
  for (std::size_t i = 0; i < shown_charts; ++i) {
    const auto& chart = charts[i];
    const auto end = kIndent + i * (width + kGap);
    titles.pad_to(end).add_left(chart.title, width, chart.style);
    auto values = chart.history->last(values_across(width, symbols), frame);
    for (auto& value : values) value /= chart.full;
    const auto drawn = curve(values, width, rows, symbols);
    for (std::size_t row = 0; row < rows; ++row) lines[row].pad_to(end).add(drawn[row], chart.style);
  }
  out.push_back(std::move(titles));
  for (auto& line : lines) out.push_back(std::move(line));
}

std::vector<Chart> charts_of(const GpuReadings& gpu, const Symbols& symbols) {
  const auto& row = gpu.row;
  const auto heat = gpu.facts && gpu.facts->slowdown_at ? *gpu.facts->slowdown_at : kUsualSlowdown;
  return {{"util " + percent(row.utilization), &gpu.utilization, 100, Style::good},
          {"memory " + memory_of(row.memory_used, row.memory_total), &gpu.memory, 100, Style::memory},
          {"power " + power_of(row.power, row.power_limit), &gpu.power, std::max(row.power_limit.value_or(1), 1.0),
           Style::power},
          {"temp " + whole(row.temperature, std::string(symbols.degrees()).c_str()), &gpu.temperature,
           std::max(heat, 1.0), style_of(row.temperature, heat - 15, heat - 5)}};
}

Line clocks_of(const GpuReadings& gpu, const Symbols& symbols) {
  const auto& detail = gpu.detail;
  Line out = indented();
  add_pair(out, "clocks SM", whole(gpu.row.sm_clock, "MHz"));
  if (gpu.facts && gpu.facts->max_sm_clock) out.add("/", Style::dim).add(count(gpu.facts->max_sm_clock), Style::dim);
  add_pair(out, "mem", whole(detail.memory_clock, "MHz"));
  add_pair(out, "video", whole(detail.video_clock, "MHz"));
  if (gpu.row.p_state) add_pair(out, "", fmt::format("P{}", *gpu.row.p_state));
  add_pair(out, "fan", percent(detail.fan));
  add_pair(out, "memory at", whole(detail.memory_temperature, std::string(symbols.degrees()).c_str()));
  if (gpu.row.reasons) add_pair(out, "held by", text_of(*gpu.row.reasons), state_of(gpu).style);
  return out;
}

void add_links(Line& line, unsigned int links, std::optional<unsigned int> active) {
  if (active.value_or(links) < links)
    add_pair(line, "NVLink", fmt::format("{} of {}", *active, links), Style::bad);
  else
    add_pair(line, "NVLink", fmt::format("x{}", links));
}

Line links_of(const GpuReadings& gpu, const Symbols& symbols) {
  const auto& detail = gpu.detail;
  const auto arrows = [&](const Value& tx, const Value& rx) {
    if (!tx && !rx) return std::string();
    return fmt::format("{}{} {}{}", symbols.up(), rate(tx), symbols.down(), rate(rx));
  };
  Line out = indented();
  if (detail.pcie_generation && detail.pcie_width)
    add_pair(out, "PCIe", fmt::format("gen{} x{}", *detail.pcie_generation, *detail.pcie_width));
  add_pair(out, "", arrows(detail.pcie_tx, detail.pcie_rx), Style::links);
  if (gpu.facts && gpu.facts->nvlinks.value_or(0) > 0) add_links(out, *gpu.facts->nvlinks, detail.nvlinks_active);
  add_pair(out, "", arrows(detail.nvlink_tx, detail.nvlink_rx), Style::links);
  add_pair(out, "fabric", detail.fabric, Style::bad);
  if (detail.encoder.value_or(0) > 0) add_pair(out, "enc", percent(detail.encoder));
  if (detail.decoder.value_or(0) > 0) add_pair(out, "dec", percent(detail.decoder));
  return out;
}

Style style_of_errors(const Value& value, Style bad) { return value.value_or(0) > 0 ? bad : Style::plain; }

Line errors_of(const GpuReadings& gpu) {
  const auto& detail = gpu.detail;
  Line out = indented();
  add_pair(out, "needs", detail.recovery, Style::bad);
  if (detail.ecc_corrected || detail.ecc_uncorrected) {
    add_pair(out, "ECC now", fmt::format("{} corrected", count(detail.ecc_corrected)),
             style_of_errors(detail.ecc_corrected, Style::fair));
    add_pair(out, "", fmt::format("{} uncorrected", count(detail.ecc_uncorrected)),
             style_of_errors(detail.ecc_uncorrected, Style::bad));
    add_pair(out, "ever", fmt::format("{}/{}", count(detail.ecc_corrected_total), count(detail.ecc_uncorrected_total)),
             style_of_errors(detail.ecc_uncorrected_total, Style::bad));
  } else {
    add_pair(out, "ECC", "off");
  }
  if (detail.rows_corrected || detail.rows_uncorrected)
    add_pair(out, "rows", fmt::format("{}/{}", count(detail.rows_corrected), count(detail.rows_uncorrected)),
             style_of_errors(detail.rows_uncorrected, Style::fair));
  if (detail.rows_pending.value_or(0) > 0) add_pair(out, "", "remap pending", Style::fair);
  if (detail.rows_failed.value_or(0) > 0) add_pair(out, "", "remap failed", Style::bad);
  if (detail.pages_retired.value_or(0) > 0) add_pair(out, "pages", count(detail.pages_retired), Style::fair);
  if (detail.nvlink_errors.value_or(0) > 0) add_pair(out, "NVLink errors", count(detail.nvlink_errors), Style::bad);
  if (detail.pcie_replays.value_or(0) > 0) add_pair(out, "replays", count(detail.pcie_replays), Style::fair);
  return out;
}

Line line_of(const MigRow& mig, const Symbols& symbols) {
  const auto number = [](const std::optional<unsigned int>& id) { return id ? std::to_string(*id) : kNoValue; };
  Line out = indented();
  out.add("MIG ", Style::dim).add_left(std::to_string(mig.place), 3).add_left(mig.name, 13, Style::strong);
  out.add("GI/CI ", Style::dim).add_left(number(mig.gpu_instance) + "/" + number(mig.compute_instance), 7);
  out.add_right(memory_of(mig.memory_used, mig.memory_total), 11, Style::memory).add(" ");
  if (mig.memory_used && mig.memory_total && *mig.memory_total > 0)
    add_bar(out, *mig.memory_used / *mig.memory_total, 10, Style::memory, symbols);
  return out;
}

Line line_of(const ProcessRow& process, const Symbols& symbols) {
  Line out = indented();
  out.add("PID ", Style::dim).add_right(std::to_string(process.pid), 8).add(" ");
  out.add_left(process.kinds, 3, Style::dim).add_right(bytes(process.memory), 7, Style::memory);
  if (process.gpu_instance) out.add(fmt::format("  GI {}", *process.gpu_instance), Style::dim);
  if (process.sm) out.add(fmt::format("  sm {:>4}", percent(process.sm)), Style::good);
  if (process.memory_utilization) out.add(fmt::format(" mem {:>4}", percent(process.memory_utilization)));
  return out.add("  ").add(process.name.empty() ? kNoValue : shown(process.name, symbols.ascii), Style::strong);
}

bool mig_without_devices(const GpuReadings& gpu) { return gpu.mig.value_or(false) && gpu.mig_devices.empty(); }

}  // namespace

std::size_t height_of_details(const GpuReadings& gpu, std::size_t curve_rows) {
  if (gpu.status != nvml::Errc::success && gpu.polled()) return 1;
  return 1 + curve_rows + kLinesOfText + gpu.mig_devices.size() + (mig_without_devices(gpu) ? 1 : 0) +
         gpu.processes.size();
}

std::vector<Line> details_of(const GpuReadings& gpu, std::size_t columns, std::size_t curve_rows, std::uint64_t frame,
                             const Symbols& symbols) {
  std::vector<Line> out;
  if (gpu.status != nvml::Errc::success && gpu.polled()) {
    const auto what = nvml::Failure(gpu.status).message();
    out.push_back(indented().add(what, Style::bad));
  } else {
    add_charts(out, charts_of(gpu, symbols), columns, curve_rows, frame, symbols);
    out.push_back(clocks_of(gpu, symbols));
    out.push_back(links_of(gpu, symbols));
    out.push_back(errors_of(gpu));
    for (const auto& mig : gpu.mig_devices) out.push_back(line_of(mig, symbols));
    if (mig_without_devices(gpu)) out.push_back(indented().add("MIG ", Style::dim).add("mode without devices"));
    for (const auto& process : gpu.processes) out.push_back(line_of(process, symbols));
  }
  for (auto& line : out) line.cut(columns);
  return out;
}

}  // namespace nvmlkit::top
