#include "top/draw.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "top/columns.hpp"
#include "top/details.hpp"
#include "top/keys.hpp"

namespace nvmlkit::top {
namespace {

constexpr std::size_t kSmallestRows = 5, kSmallestColumns = 20;

bool has_event_line(const Machine& machine, const View& view, Size size) {
  return view.page != Page::events && !machine.events().empty() && size.rows >= 10;
}

Line line_of_event(const EventLine& event) {
  Line out;
  out.add(event.time + "  ", Style::dim);
  out.add_left(event.gpu ? fmt::format("GPU {}", *event.gpu) : "", 9, Style::strong);
  return out.add(event.text, event.grave ? Style::bad : Style::plain);
}

void add_block(Frame& frame, const Picture& picture, const Block& block, const std::vector<Placed>& columns,
               Size size) {
  const auto& view = picture.view;
  const auto& gpu = picture.machine.gpu(block.gpu);
  const auto number = picture.machine.frame();
  std::vector<Line> lines;
  lines.push_back(row_of(block.gpu, gpu, columns, {block.gpu == view.chosen, block.unfolded}, number, view.symbols));
  if (block.unfolded)
    for (auto& line : details_of(gpu, size.columns, picture.layout.curve_rows, number, view.symbols))
      lines.push_back(std::move(line));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto at = block.first + i;
    if (at >= view.top && at < view.top + picture.layout.rows) frame.push_back(std::move(lines[i]));
  }
}

Line nothing_to_list(const Picture& picture) {
  const auto& machine = picture.machine;
  if (!machine.problem().empty()) return Line().add("  " + machine.problem(), Style::bad);
  if (machine.size() == 0) return Line().add("  no GPU");
  return Line().add("  no GPU passes the filter");
}

Frame list_of(const Picture& picture, Size size) {
  Frame out;
  const auto columns = columns_for(size.columns, picture.machine.size() > 999);
  out.push_back(heading_of(columns).pad_to(size.columns, Style::strong));
  for (const auto& block : picture.layout.blocks)
    if (picture.layout.shows(block, picture.view.top)) add_block(out, picture, block, columns, size);
  if (picture.layout.blocks.empty()) out.push_back(nothing_to_list(picture));
  return out;
}

Frame events_of(const Machine& machine, std::size_t first, std::size_t rows) {
  Frame out;
  const auto& events = machine.events();
  for (auto event = events.rbegin(); event != events.rend() && out.size() < rows; ++event) {
    if (first > 0)
      --first;
    else
      out.push_back(line_of_event(*event));
  }
  if (events.empty()) out.push_back(Line().add("no GPU has reported an event since the start"));
  return out;
}

Frame help_of(const View& view, std::size_t rows) {
  Frame out;
  for (const auto& each : all_keys()) {
    if (each.steers && !view.can_steer) continue;
    Line line;
    line.add_left(each.keys, 20, Style::strong).add(each.meaning);
    out.push_back(std::move(line));
  }
  const auto last = out.size() > rows ? out.size() - rows : 0;
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(view.page_line, last)));
  return out;
}

Frame faults_of(const Picture& picture, std::size_t rows) {
  Frame out;
  const auto faults = picture.steering ? picture.steering->faults() : std::vector<std::string>();
  const auto chosen = picture.view.page_line;
  for (std::size_t i = chosen < rows ? 0 : chosen - rows + 1; i < faults.size() && out.size() < rows; ++i) {
    Line line;
    line.add(i == chosen ? picture.view.symbols.cursor() : " ", Style::strong).add(" ");
    out.push_back(std::move(line.add(faults[i], i == chosen ? Style::chosen : Style::plain)));
  }
  return out;
}

std::string title_of_page(const View& view) {
  switch (view.page) {
    case Page::help:
      return " KEYS";
    case Page::events:
      return " EVENTS, the newest first";
    case Page::faults:
      return " BREAK GPU " + std::to_string(view.chosen) + ": Enter takes a fault, Escape leaves";
    case Page::gpus:
      break;
  }
  return "";
}

}  // namespace

std::size_t list_rows(const Machine& machine, const View& view, Size size) {
  if (size.rows >= kUnlimitedRows) return kUnlimitedRows;
  const auto others = kHeadRows + kFootRows + (has_event_line(machine, view, size) ? 1 : 0);
  return size.rows > others ? size.rows - others : 1;
}

Frame page_of(const Picture& picture, std::size_t rows, std::size_t columns) {
  const auto& view = picture.view;
  Frame out;
  out.push_back(Line().add_left(title_of_page(view), columns, Style::strong));
  auto lines = view.page == Page::help     ? help_of(view, rows)
               : view.page == Page::events ? events_of(picture.machine, view.page_line, rows)
                                           : faults_of(picture, rows);
  for (auto& line : lines)
    if (out.size() <= rows) out.push_back(std::move(Line().add(" ").append(line)));
  return out;
}

Frame draw(const Picture& picture, Size size) {
  if (size.rows < kSmallestRows || size.columns < kSmallestColumns) return {Line().add("too small")};
  const auto& view = picture.view;
  const bool endless = size.rows >= kUnlimitedRows;
  Frame out = head_of(picture, size.columns);
  auto body = view.page == Page::gpus ? list_of(picture, size) : page_of(picture, picture.layout.rows, size.columns);
  for (auto& line : body) out.push_back(std::move(line));
  const bool event_line = endless ? !picture.machine.events().empty() : has_event_line(picture.machine, view, size);
  if (!endless) out.resize(size.rows - kFootRows - (event_line ? 1 : 0));
  if (event_line) out.push_back(Line().add(" ").append(line_of_event(picture.machine.events().back())));
  if (!endless) out.push_back(foot_of(picture, size.columns));
  for (auto& line : out) line.cut(size.columns);
  return out;
}

}  // namespace nvmlkit::top
