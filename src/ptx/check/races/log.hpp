// The last accesses to each word of memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ptx/check/checked.hpp"
#include "ptx/check/races/clock.hpp"

namespace nvmlkit::ptx::races {

// An access by a thread: the event, whether a copy that still runs did it, whether other lanes of the warp did it too,
// and the lane. 0: none.
using Stamp = std::uint32_t;
constexpr Stamp kLaneBits = 31, kSeveral = 32, kRunning = 64;
constexpr unsigned kEventShift = 7;
constexpr std::uint32_t kMostEvents = 1u << 24;
// Of the second reader of a cell: it and the first one are in different blocks, so that one of both is not in the block
// of a thread that writes.
constexpr Stamp kFar = 1u << 31;
constexpr std::uint32_t event_of(Stamp stamp) { return (stamp & ~kFar) >> kEventShift; }
constexpr unsigned lane_of(Stamp stamp) { return stamp & kLaneBits; }

// An instruction that a warp executed once or more, without handing on what it knows in between.
struct Event {
  const Function* function = nullptr;
  std::uint64_t block = 0;  // the launch, and the number of the block in it
  std::uint32_t instruction = 0;
  Time time = 0;
  std::uint16_t warp = 0;
  Touch touch{};
  Scope scope{};
  bool is_volatile = false;

  // A load or store of the host itself, and no work of the driver.
  bool is_of_host() const { return !function && is_volatile; }
};

struct Cell {
  Stamp write = 0, read = 0;
};

// Cells of 4096 bytes: one for each word, or for each byte once something accessed a part of a word.
struct Page {
  static constexpr unsigned kShift = 12, kBytes = 1u << kShift;
  bool of_bytes = false;
  std::vector<Cell> cells = std::vector<Cell>(kBytes / 4);
  std::vector<Stamp> others;  // readers beside those in `cells`; empty: none

  void split();
};

class Log {
 public:
  Page& page(std::uint64_t address) {
    const auto number = address >> Page::kShift;
    auto& known = recent_[number % kRecent];
    if (known.first != number || !known.second) [[unlikely]]
      known = {number, &find(number)};
    return *known.second;
  }
  std::uint32_t add(const Event& event);
  const Event& event(std::uint32_t id) const { return events_[id - base_]; }
  // Events before are forgotten.
  std::uint32_t base() const { return base_; }
  std::uint32_t next() const { return base_ + static_cast<std::uint32_t>(events_.size()); }
  void forget_events();
  // What is known of these bytes.
  void forget(std::uint64_t address, std::uint64_t size);
  void forget_all();

 private:
  static constexpr unsigned kRecent = 16;
  Page& find(std::uint64_t number);

  std::vector<Event> events_;
  std::uint32_t base_ = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<std::pair<std::uint64_t, Page*>, kRecent> recent_{};
};

// Calls f(page, cell) for each cell of some bytes.
template <class F>
inline void each_cell(Log& log, std::uint64_t address, std::uint32_t size, F f) {
  while (size > 0) {
    auto& page = log.page(address);
    const auto offset = static_cast<std::uint32_t>(address & (Page::kBytes - 1));
    const auto here = size < Page::kBytes - offset ? size : Page::kBytes - offset;
    if (!page.of_bytes && ((offset | here) & 3) != 0) page.split();
    if (page.of_bytes)
      for (std::uint32_t k = 0; k < here; ++k) f(page, offset + k);
    else
      for (std::uint32_t k = 0; k < here / 4; ++k) f(page, offset / 4 + k);
    address += here;
    size -= here;
  }
}

}  // namespace nvmlkit::ptx::races
