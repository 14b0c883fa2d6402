#include "top/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "top/details.hpp"
#include "top/numbers.hpp"

namespace nvmlkit::top {
namespace {

constexpr std::size_t kMarks = 2;  // the choice and the fold, before the first column
constexpr double kSlowdown = 95;

struct Offer {
  Column column;
  std::size_t width;
};
// In the order of importance. A column that stands here twice grows.
constexpr std::array kOffers = {
    Offer{Column::index, 3},       Offer{Column::utilization, 4},     Offer{Column::memory, 8},
    Offer{Column::temperature, 5}, Offer{Column::state, 12},          Offer{Column::power, 10},
    Offer{Column::name, 14},       Offer{Column::clock, 7},           Offer{Column::utilization_bar, 7},
    Offer{Column::state, 8},       Offer{Column::name, 10},           Offer{Column::history, 20},
    Offer{Column::memory_bar, 8},  Offer{Column::power_bar, 8},       Offer{Column::p_state, 3},
    Offer{Column::bus_id, 16},     Offer{Column::utilization_bar, 8}, Offer{Column::history, 20},
    Offer{Column::state, 12},      Offer{Column::history, 60}};

const char* heading_of(Column column) {
  switch (column) {
    case Column::index:
      return "GPU";
    case Column::name:
      return "NAME";
    case Column::utilization:
      return "UTIL";
    case Column::memory:
      return "MEMORY";
    case Column::power:
      return "POWER";
    case Column::temperature:
      return "TEMP";
    case Column::clock:
      return "SM";
    case Column::p_state:
      return "P";
    case Column::state:
      return "STATE";
    case Column::bus_id:
      return "BUS ID";
    case Column::history:
      return "UTIL BEFORE";
    case Column::utilization_bar:
    case Column::memory_bar:
    case Column::power_bar:
      break;
  }
  return "";
}

bool is_number(Column column) {
  return column == Column::index || column == Column::utilization || column == Column::memory ||
         column == Column::power || column == Column::temperature || column == Column::clock;
}

double share_of(const Value& part, const Value& whole) { return part && whole && *whole > 0 ? *part / *whole : 0; }

class Row {
 public:
  Row(std::size_t index, const GpuReadings& gpu, std::uint64_t frame, const Symbols& symbols)
      : index_(index), gpu_(gpu), frame_(frame), symbols_(symbols) {}

  void add(Line& line, Placed place) const {
    switch (place.column) {
      case Column::index:
        line.add_right(std::to_string(index_), place.width, Style::strong);
        return;
      case Column::name:
        line.add_left(gpu_.facts ? shown(gpu_.facts->name, symbols_.ascii) : "", place.width);
        return;
      case Column::bus_id:
        line.add_left(gpu_.facts ? shown(gpu_.facts->bus_id, symbols_.ascii) : "", place.width, Style::dim);
        return;
      case Column::state: {
        const auto state = state_of(gpu_);
        line.add_left(state.text, place.width, state.style);
        return;
      }
      case Column::p_state:
        line.add_left(gpu_.row.p_state ? fmt::format("P{}", *gpu_.row.p_state) : "", place.width);
        return;
      case Column::history:
        add_history(line, place.width);
        return;
      default:
        return is_number(place.column) ? add_number(line, place) : add_share(line, place);
    }
  }

 private:
  void add_history(Line& line, std::size_t width) const {
    auto values = gpu_.utilization.last(values_across(width, symbols_), frame_);
    for (auto& value : values) value /= 100;
    line.add(curve(values, width, 1, symbols_).front(), Style::good);
  }

  void add_number(Line& line, Placed place) const {
    const auto& row = gpu_.row;
    const auto heat = gpu_.facts && gpu_.facts->slowdown_at ? *gpu_.facts->slowdown_at : kSlowdown;
    if (place.column == Column::utilization)
      line.add_right(percent(row.utilization), place.width, row.utilization ? Style::good : Style::dim);
    if (place.column == Column::memory)
      line.add_right(memory_of(row.memory_used, row.memory_total), place.width, Style::memory);
    if (place.column == Column::power) line.add_right(power_of(row.power, row.power_limit), place.width, Style::power);
    if (place.column == Column::temperature)
      line.add_right(row.temperature ? count(row.temperature) + std::string(symbols_.degrees()) : kNoValue, place.width,
                     style_of(row.temperature, heat - 15, heat - 5));
    if (place.column == Column::clock) line.add_right(whole(row.sm_clock, "MHz"), place.width);
  }

  void add_share(Line& line, Placed place) const {
    const auto& row = gpu_.row;
    if (place.column == Column::utilization_bar)
      add_bar(line, row.utilization.value_or(0) / 100, place.width, Style::good, symbols_);
    if (place.column == Column::memory_bar)
      add_bar(line, share_of(row.memory_used, row.memory_total), place.width, Style::memory, symbols_);
    if (place.column == Column::power_bar)
      add_bar(line, share_of(row.power, row.power_limit), place.width, Style::power, symbols_);
  }

  std::size_t index_;
  const GpuReadings& gpu_;
  std::uint64_t frame_;
  const Symbols& symbols_;
};

}  // namespace

std::vector<Placed> columns_for(std::size_t columns, bool many_gpus) {
  std::vector<Placed> out;
  std::size_t used = kMarks;
  for (const auto& offer : kOffers) {
    const auto width = offer.width + (offer.column == Column::index && many_gpus ? 1 : 0);
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const auto& place) { return place.column == offer.column; });
    const auto needs = width + (known == out.end() ? 1 : 0);
    if (used + needs > columns + 1) break;  // no space is needed after the last
    used += needs;
    if (known != out.end())
      known->width += width;
    else
      out.push_back({offer.column, width});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.column < b.column; });
  return out;
}

Line heading_of(const std::vector<Placed>& columns) {
  Line out;
  out.add(std::string(kMarks, ' '), Style::strong);
  for (const auto& place : columns) {
    const std::string text = heading_of(place.column);
    is_number(place.column) ? out.add_right(text, place.width, Style::strong)
                            : out.add_left(text, place.width, Style::strong);
    out.add(" ", Style::strong);
  }
  return out;
}

Line row_of(std::size_t index, const GpuReadings& gpu, const std::vector<Placed>& columns, RowMarks marks,
            std::uint64_t frame, const Symbols& symbols) {
  Line out;
  out.add(marks.chosen ? symbols.cursor() : " ", Style::strong);
  out.add(marks.unfolded ? symbols.unfolded() : symbols.folded(), Style::dim);
  const Row row(index, gpu, frame, symbols);
  for (const auto& place : columns) {
    row.add(out, place);
    out.add(" ");
  }
  if (gpu.polled() && gpu.status != nvml::Errc::success) out.restyle(Style::bad);
  return out;
}

}  // namespace nvmlkit::top
