#include "ptx/check/races/host_access.hpp"

#include <algorithm>

#include "ptx/check/races/launch.hpp"

namespace nvmlkit::ptx::races {
namespace {

// Null: it is forgotten, or the two talk to each other.
const Launch* opponent_of(Launch& launch, const Event& own, const Event& earlier) {
  const auto* const other = launch.launch_of(earlier);
  if (!other || !own.is_of_host()) return other;
  if (earlier.scope == Scope::all) other->talks_with_host = true;
  return other->talks_with_host ? nullptr : other;
}

void conflict(Launch& launch, const Event& own, const Event& earlier, Stamp stamp, const HostAccess& access,
              std::uint32_t hazards) {
  const auto* const other = opponent_of(launch, own, earlier);
  if (!other || launch.count(Race::Severity::error, earlier, own, hazards)) return;
  Race race;
  race.count = hazards;
  race.space = Space::global;
  race.address = access.address;
  race.size = static_cast<std::uint32_t>(access.width);
  race.reason = kUnorderedLaunches;
  race.second.touch = own.touch;
  other->describe(earlier, lane_of(stamp), race.first);
  race.first.launch = other->about;
  launch.note(std::move(race), earlier, own);
}

void note_row(Launch& launch, Log& log, std::uint32_t id, std::uint64_t address, const HostAccess& access) {
  const Event own = log.event(id);
  const bool writes = access.touch != Touch::reads;
  const Stamp stamp = id << kEventShift;
  const auto look = [&](Stamp earlier, std::uint32_t hazards) {
    if (earlier == 0 || earlier == stamp || event_of(earlier) < log.base()) return;
    const auto& event = log.event(event_of(earlier));
    const auto other = static_cast<std::uint32_t>(event.block >> 32);
    if (other != launch.id && !launch.is_after(other)) conflict(launch, own, event, earlier, access, hazards);
  };
  for (auto left = access.width; left > 0;) {
    const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, std::uint64_t{1} << 30));
    each_cell(log, address, size, [&](Page& page, std::uint32_t number) {
      auto& cell = page.cells[number];
      const std::uint32_t hazards = page.of_bytes ? 1 : 4;
      look(cell.write, hazards);
      if (writes) {
        look(cell.read, hazards);
        if (!page.others.empty()) look(page.others[number] & ~kFar, hazards);
      }
      if (writes)
        cell = {stamp, 0};
      else
        cell.read = stamp;
    });
    address += size;
    left -= size;
  }
}

}  // namespace

void note(Checks& checks, std::span<const HostAccess> accesses) {
  if (!checking.races) return;
  const auto held = turn();
  Grid grid;
  grid.checks = &checks;
  const Launching launching(grid);
  auto& launch = *checks.watched;
  auto& log = shared().global;
  for (const auto& access : accesses) {
    const auto id = log.add(
        {nullptr, launch.block(0), static_cast<std::uint32_t>(access.touch), shared().now, 0, access.touch, {}, false});
    for (std::uint64_t row = 0; row < access.rows; ++row)
      note_row(launch, log, id, access.address + row * access.pitch, access);
  }
}

HostPlace::HostPlace(std::unique_ptr<Checks> checks) : checks_(std::move(checks)) {}

HostPlace::~HostPlace() { report(); }

// Others must not take them for accesses that a kernel could not see.
std::uint32_t HostPlace::event_of(Touch touch) {
  auto& log = shared().global;
  auto& id = events_[touch != Touch::reads];
  if (id == 0 || id < log.base() || id >= log.next())
    id = log.add(
        {nullptr, launch_->block(0), static_cast<std::uint32_t>(touch), shared().now, 0, touch, Scope::all, true});
  return id;
}

void HostPlace::touch(const HostAccess& access) {
  const auto held = turn();
  if (!launch_ || !shared().all.contains(launch_->id)) {
    Grid grid;
    grid.checks = checks_.get();
    const Launching launching(grid);
    launch_ = checks_->watched;
  }
  note_row(*launch_, shared().global, event_of(access.touch), access.address, access);
  if (has_found_ || !launch_->has_found()) return;
  has_found_ = true;  // at once, for the program may end
  launch_->report();
}

void HostPlace::report() {
  const auto held = turn();
  if (launch_) launch_->report();
}

}  // namespace nvmlkit::ptx::races
