#include "ptx/check/races/launch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace nvmlkit::ptx::races {
namespace {

// Kinds of findings of one launch.
constexpr std::size_t kMostFound = 1000;
constexpr auto kPause = std::chrono::microseconds(50);

}  // namespace

Shared& shared() {
  static auto* const the = new Shared;  // threads may use it until the process ends
  return *the;
}

// Who has just had a turn lets others go first.
std::unique_lock<std::recursive_mutex> turn() {
  if (!checking.races) return {};
  static constinit std::atomic<unsigned> waiting{0};
  if (waiting.load() > 0) std::this_thread::sleep_for(kPause);
  ++waiting;
  std::unique_lock held(shared().mutex);
  --waiting;
  return held;
}

void forget(std::uint64_t address, std::uint64_t size) {
  if (!checking.races) return;
  const std::lock_guard lock(shared().mutex);
  shared().global.forget(address, size);
}

Launch::Launch(const Grid& grid)
    : id(++shared().launches),
      looks_at_global(grid.depth == 0 || grid.birth),
      about(grid.checks->about),
      birth(grid.birth),
      checks_(grid.checks),
      order_(birth ? birth->order : checks_->order) {
  std::copy_n(grid.blocks, 3, blocks_);
  std::copy_n(grid.threads, 3, threads_);
  std::copy_n(grid.cluster, 3, cluster_);
  auto& s = shared();
  ++s.running;
  ++s.now;
  if (!looks_at_global) return;
  const bool is_after_all = std::ranges::all_of(s.all, [&](const auto& other) { return is_after(other.first); });
  if (is_after_all && s.running == 1) {
    s.all.clear();
    s.global.forget_events();
    s.flags.clear();
  }
  first_global = is_after_all ? s.global.next() : s.global.base();
}

Launch::~Launch() = default;

std::uint64_t Launch::cluster_of(std::uint64_t block) const {
  std::uint64_t out = 0, own = block & 0xFFFFFFFF, step = 1;
  for (int k = 0; k < 3; ++k) {
    out += own % blocks_[k] / cluster_[k] * step;
    step *= blocks_[k] / cluster_[k];
    own /= blocks_[k];
  }
  return std::uint64_t{1} << 63 | (block >> 32) << 32 | out;
}

bool Launch::is_after(std::uint32_t other) const {
  if (other == id) return false;
  const auto at = shared().all.find(other);
  if (at == shared().all.end()) return true;
  const auto& before = at->second->order_;
  if (!order_.known || before.stream == 0) return true;
  const auto knows = [&](std::uint32_t stream, std::uint64_t number) {
    if (stream == order_.stream && number <= order_.number) return true;
    const auto known = order_.known->find(stream);
    return known != order_.known->end() && known->second >= number;
  };
  if (knows(before.stream, before.number) || (before.of_stream != 0 && knows(before.of_stream, before.of_number)))
    return true;
  const auto& born = at->second->birth;
  if (!born) return false;
  // The end of a launch is that of its children, but for those who are within it.
  if (born->parent == id) return other <= children_done_;
  return !is_within(born->parent) && is_after(born->parent);
}

bool Launch::is_within(std::uint32_t other) const {
  for (auto own = birth; own;) {
    if (own->parent == other) return true;
    const auto at = shared().all.find(own->parent);
    own = at == shared().all.end() ? nullptr : at->second->birth;
  }
  return false;
}

std::uint32_t Launch::shared_launches() { return shared().launches; }

std::shared_ptr<const Birth> Launch::child(ClockRef clock, std::uint64_t block, std::uint64_t stream, bool in_order) {
  auto out = std::make_shared<Birth>();
  auto& [number, count] = streams_[{block, stream}];
  if (number == 0 || !in_order) number = ++shared().streams;
  out->order.stream = number;
  out->order.number = ++count;
  out->order.of_stream = order_.of_stream ? order_.of_stream : order_.stream;
  out->order.of_number = order_.of_stream ? order_.of_number : order_.number;
  auto known = std::make_shared<std::map<std::uint32_t, std::uint64_t>>();
  if (order_.known) *known = *order_.known;
  if (order_.stream != 0) (*known)[order_.stream] = order_.number - 1;
  out->order.known = std::move(known);
  out->clock = birth ? joined(clock, birth->clock) : std::move(clock);
  out->parent = id;
  return out;
}

const Launch* Launch::launch_of(const Event& event) const {
  const auto number = static_cast<std::uint32_t>(event.block >> 32);
  if (number == id) return this;
  const auto at = shared().all.find(number);
  return at == shared().all.end() ? nullptr : at->second.get();
}

Launch::Key Launch::key_of(Race::Severity severity, const Event& first, const Event& second) {
  const std::pair one{first.function, first.instruction}, other{second.function, second.instruction};
  const auto& [low, high] = std::minmax(one, other);
  return {low.first, low.second, high.first, high.second, severity == Race::Severity::info};
}

void Launch::describe(const Event& event, unsigned lane, Race::Side& out) const {
  out.touch = event.touch;
  if (!event.function) return;
  out.places = {{event.function, event.instruction, event.function->code[event.instruction].line}};
  auto block = static_cast<std::uint32_t>(event.block);
  auto thread = event.warp == kCopyWarp ? 0 : event.warp * kLanes + lane;
  for (int k = 0; k < 3; ++k) {
    out.block[k] = block % blocks_[k];
    block /= blocks_[k];
    out.thread[k] = thread % threads_[k];
    thread /= threads_[k];
  }
}

bool Launch::count(Race::Severity severity, const Event& first, const Event& second, std::uint64_t hazards) {
  const auto at = found_.find(key_of(severity, first, second));
  if (at == found_.end()) return found_.size() >= kMostFound;
  at->second.count += hazards;
  return at->second.severity >= severity;
}

void Launch::note(Race race, const Event& first, const Event& second) {
  const auto [known, is_new] = found_.try_emplace(key_of(race.severity, first, second));
  if (!is_new) race.count = known->second.count;  // it was a warning only
  known->second = std::move(race);
}

void Launch::report() {
  for (const auto& [key, race] : found_) checks_->found(race);
  found_.clear();
}

Launching::Launching(const Grid& grid) {
  if (!checking.races || !grid.checks) return;
  const auto held = turn();
  launch_ = std::make_shared<Launch>(grid);
  if (launch_->looks_at_global) shared().all[launch_->id] = launch_;
  checks_ = grid.checks;
  outer_ = std::move(checks_->watched);
  checks_->watched = launch_;
}

Launching::~Launching() {
  if (!launch_) return;
  const auto held = turn();
  --shared().running;
  launch_->report();
  checks_->watched = std::move(outer_);
}

}  // namespace nvmlkit::ptx::races
