#include "top/layout.hpp"

#include <algorithm>
#include <limits>

#include "top/details.hpp"

namespace nvmlkit::top {
namespace {

constexpr std::size_t kHighestCurve = 10;

bool wants_all_values(const View& view) { return view.sort || view.filter.needs_values(); }

// The blocks that automatic folding opens: the chosen one if it takes at most half of the rows, the others while there
// is room.
void unfold_what_fits(const Machine& machine, const View& view, std::size_t rows, std::vector<Block>& blocks) {
  std::size_t room = rows > blocks.size() ? rows - blocks.size() : 0;
  const auto open = [&](Block& block, std::size_t allowed) {
    const auto height = height_of_details(machine.gpu(block.gpu), kUsualCurve);
    if (block.unfolded || height > allowed) return;
    block.unfolded = true;
    room -= std::min(room, height);
  };
  for (auto& block : blocks)
    if (block.gpu == view.chosen) open(block, std::max(room, rows / 2));
  for (auto& block : blocks) open(block, room);
}

void fold(const Machine& machine, const View& view, std::size_t rows, std::vector<Block>& blocks) {
  if (view.folding == Folding::unfolded)
    for (auto& block : blocks) block.unfolded = true;
  if (view.folding == Folding::automatic) unfold_what_fits(machine, view, rows, blocks);
  for (auto& block : blocks)
    if (const auto own = view.unfolded.find(block.gpu); own != view.unfolded.end()) block.unfolded = own->second;
}

// Rows that are left over make the curves higher.
std::size_t height_of_curves(const Machine& machine, std::size_t rows, const std::vector<Block>& blocks) {
  std::size_t used = blocks.size(), unfolded = 0;
  for (const auto& block : blocks) {
    if (!block.unfolded) continue;
    ++unfolded;
    used += height_of_details(machine.gpu(block.gpu), kUsualCurve);
  }
  if (unfolded == 0 || used >= rows || rows >= kUnlimitedRows) return kUsualCurve;
  return std::min(kUsualCurve + (rows - used) / unfolded, kHighestCurve);
}

void scroll_to_choice(const Layout& layout, View& view) {
  for (const auto& block : layout.blocks) {
    if (block.gpu != view.chosen) continue;
    const auto end = block.first + block.height;
    if (end > view.top + layout.rows) view.top = end - layout.rows;
    if (block.first < view.top) view.top = block.first;
  }
  const auto last = layout.lines > layout.rows ? layout.lines - layout.rows : 0;
  view.top = std::min(view.top, last);
}

}  // namespace

std::vector<std::size_t> order_of(const Machine& machine, const View& view) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < machine.size(); ++i)
    if (view.filter.matches(i, machine.gpu(i))) out.push_back(i);
  if (view.sort) {
    // The highest first; a GPU without a value is last either way.
    const auto key = [&](std::size_t gpu) {
      const auto value = value_of(*view.sort, machine.gpu(gpu).row);
      return value ? (view.reversed ? *value : -*value) : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { return key(a) < key(b); });
  } else if (view.reversed) {
    std::reverse(out.begin(), out.end());
  }
  return out;
}

Layout lay_out(const Machine& machine, View& view, std::size_t rows) {
  Layout out;
  out.rows = rows;
  const auto order = order_of(machine, view);
  for (const auto gpu : order) out.blocks.push_back({gpu, false, 0, 1});
  if (!order.empty() && std::find(order.begin(), order.end(), view.chosen) == order.end()) view.chosen = order.front();
  fold(machine, view, rows, out.blocks);
  out.curve_rows = height_of_curves(machine, rows, out.blocks);
  for (auto& block : out.blocks) {
    block.first = out.lines;
    if (block.unfolded) block.height += height_of_details(machine.gpu(block.gpu), out.curve_rows);
    out.lines += block.height;
  }
  scroll_to_choice(out, view);
  return out;
}

void move_choice(const Machine& machine, View& view, std::ptrdiff_t by) {
  const auto order = order_of(machine, view);
  const auto at = std::find(order.begin(), order.end(), view.chosen);
  if (order.empty()) return;
  const auto place = at == order.end() ? 0 : at - order.begin();
  const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
  view.chosen = order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place + by, 0, last))];
}

Layout poll_visible(Machine& machine, View& view, std::size_t rows) {
  if (view.filter.needs_facts()) machine.learn_all();
  if (wants_all_values(view))
    for (std::size_t i = 0; i < machine.size(); ++i) machine.poll(i, Depth::row);
  auto layout = lay_out(machine, view, rows);
  // What a GPU answers can move others into view: processes that end, for one.
  for (int round = 0; round < 3; ++round) {
    for (const auto& block : layout.blocks)
      if (layout.shows(block, view.top))
        machine.poll(block.gpu, !block.unfolded ? Depth::row : block.gpu == view.chosen ? Depth::full : Depth::detail);
    layout = lay_out(machine, view, rows);
  }
  return layout;
}

}  // namespace nvmlkit::top
