#include "ptx/check/races/log.hpp"

#include <algorithm>

namespace nvmlkit::ptx::races {

void Page::split() {
  std::vector<Cell> bytes(kBytes);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = cells[k / 4];
  cells.swap(bytes);
  if (!others.empty()) {
    std::vector<Stamp> more(kBytes);
    for (std::size_t k = 0; k < more.size(); ++k) more[k] = others[k / 4];
    others.swap(more);
  }
  of_bytes = true;
}

Page& Log::find(std::uint64_t number) {
  auto& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  return *page;
}

std::uint32_t Log::add(const Event& event) {
  if (next() >= kMostEvents) forget_all();
  events_.push_back(event);
  return next() - 1;
}

void Log::forget_events() {
  base_ = next();
  events_.clear();
}

void Log::forget(std::uint64_t address, std::uint64_t size) {
  while (size > 0) {
    const auto offset = address & (Page::kBytes - 1);
    const auto here = std::min<std::uint64_t>(size, Page::kBytes - offset);
    if (const auto at = pages_.find(address >> Page::kShift); at != pages_.end()) {
      auto& page = *at->second;
      const auto unit = page.of_bytes ? 1 : 4;
      const auto first = offset / unit, last = (offset + here + unit - 1) / unit;
      std::fill(page.cells.begin() + static_cast<std::ptrdiff_t>(first),
                page.cells.begin() + static_cast<std::ptrdiff_t>(last), Cell{});
    }
    address += here;
    size -= here;
  }
}

void Log::forget_all() {
  events_.clear();
  base_ = 1;
  pages_.clear();
  recent_ = {};
}

}  // namespace nvmlkit::ptx::races
