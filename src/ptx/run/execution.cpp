#include "ptx/run/execution.hpp"

#include <algorithm>

#include "ptx/changing_memory.hpp"
#include "ptx/check/patience.hpp"
#include "ptx/check/races/launch.hpp"
#include "ptx/check/waiters.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/alone.hpp"

namespace nvmlkit::ptx {
namespace {

// Instructions that a warp executes before the next one has its turn; few where blocks wait for each other.
constexpr std::uint64_t kSlice = 1 << 13, kShortSlice = 1 << 12;
// Instructions that a launch executes before it asks for help. To wake a thread takes as long as some thousand.
constexpr std::uint64_t kAlone = 1 << 14;
// Instructions of a turn that goes from block to block.
constexpr std::uint64_t kTurnOfBlocks = 1 << 15;

}  // namespace

Execution::Execution(const Grid& grid)
    : grid_(grid),
      schedule_(Schedule::make(grid.entry->name)),
      groups_{std::uint64_t{grid.blocks[0]} * grid.blocks[1] * grid.blocks[2] / cluster_size(grid)} {}

Outcome Execution::run_to_end() {
  const ChangingMemory changing;
  const races::Launching launching(grid_);
  if (engine() != Engine::interpret) Compiled::of(*grid_.entry).begins_launch(grid_.params);
  Worker worker(grid_, groups_, ended_, schedule_.get());
  worker.is_callers = true;
  try {
    work(worker, true);
  } catch (...) {
    end_with({});
    if (has_helpers_) Helpers::own().withdraw(*this, [] {});
    throw;
  }
  if (has_helpers_)
    Helpers::own().withdraw(*this, [&] {
      if (grid_.tick) grid_.tick(grid_.tick_of);
    });
  if (failure_) std::rethrow_exception(failure_);
  return std::move(outcome_);
}

void Execution::help() noexcept {
  try {
    Worker worker(grid_, groups_, ended_);
    work(worker, false);
  } catch (...) {
    end_with({});
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

// The first fault is the one of the launch; the other workers see that it has ended.
void Execution::end_with(Fault fault) {
  const std::lock_guard lock(mutex_);
  if (!ended_.exchange(true)) outcome_.fault = std::move(fault);
}

unsigned Execution::threads() const {
  if (checking.races) return 1;  // turns come one by one: a second thread would only wait for the first
  return grid_.threads_of_host ? grid_.threads_of_host : usable_cores();
}

void Execution::ask_for_help() {
  if (schedule_) return;
  const auto threads = this->threads();
  const auto left = groups_.count - std::min(groups_.count, groups_.begun.load(std::memory_order_relaxed));
  const auto wanted = std::min<std::uint64_t>(threads - 1, left + waiting_count_.load(std::memory_order_relaxed));
  has_one_thread_ = threads == 1 || (engine() != Engine::interpret && Compiled::of(*grid_.entry).is_faster_alone());
  if (has_one_thread_) return;
  dismissed_.store(false);
  has_helpers_ = wanted > 0 && Helpers::own().lend(*this, static_cast<unsigned>(wanted));
}

// After a turn of the launching thread in which compiled code changed memory that others may change, too.
void Execution::try_alone(const Worker& worker) {
  auto& compiled = Compiled::of(*grid_.entry);
  if (threads() == 1 || trial_.is_over() || compiled.has_been_tried() || (!has_helpers_ && !has_one_thread_)) return;
  switch (trial_.next(worker.instructions, threads())) {
    case Trial::Next::stay:
      break;
    case Trial::Next::alone:
      dismissed_.store(true);
      Helpers::own().withdraw(*this, [] {});
      has_helpers_ = false;
      has_one_thread_ = true;
      break;
    case Trial::Next::helped:
      ask_for_help();
      break;
  }
  if (trial_.is_over()) compiled.set_tried(trial_.prefers_alone());
}

// Those that wait have begun earlier, and go first; but every other time a new one begins, for which they may wait.
std::unique_ptr<Group> Execution::next(Worker& worker, std::unique_ptr<Group>& spare) {
  if (waiting_count_.load(std::memory_order_relaxed) > 0) {
    const std::lock_guard lock(mutex_);
    const bool may_begin =
        groups_.begun.load(std::memory_order_relaxed) < groups_.count && waiting_.size() < grid_.most_resident;
    if (!waiting_.empty() && !(begins_next_ && may_begin)) {
      begins_next_ = true;
      return take_waiting(0);
    }
    begins_next_ = false;
  }
  if (const auto number = groups_.next()) return begin(*number, worker, spare);
  const std::lock_guard lock(mutex_);
  return waiting_.empty() ? nullptr : take_waiting(0);
}

// Blocks begin in order, as on a GPU, and go on in any order. Those that wait for others may wait for one that has not
// begun, and count as none.
std::unique_ptr<Group> Execution::next_by_schedule(Worker& worker, std::unique_ptr<Group>& spare) {
  const auto open = static_cast<std::uint32_t>(waiting_.size());
  const auto polling = static_cast<std::uint32_t>(std::ranges::count_if(waiting_, &Group::polls));
  const bool may_begin =
      groups_.begun.load() < groups_.count && open < grid_.most_resident && open - polling < schedule_->open_groups();
  const auto choice = open + may_begin == 0 ? 0 : schedule_->pick(open + (may_begin ? 1 : 0));
  if (choice < open) return take_waiting(choice);
  return may_begin ? begin(groups_.begun++, worker, spare) : nullptr;
}

std::unique_ptr<Group> Execution::begin(std::uint64_t number, Worker& worker, std::unique_ptr<Group>& spare) {
  auto group = spare ? std::move(spare) : std::make_unique<Group>(worker);
  group->start(number);
  return group;
}

std::unique_ptr<Group> Execution::take_waiting(std::size_t number) {
  const auto at = waiting_.begin() + static_cast<std::ptrdiff_t>(number);
  auto group = std::move(*at);
  waiting_.erase(at);
  waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
  return group;
}

// Where nobody looks at blocks one by one.
bool Execution::goes_from_block_to_block(const Worker& worker) const {
  const bool is_watched = schedule_ || grid_.checks || (worker.is_callers && worker.changes);
  const bool may_wait = grid_.cooperative || cluster_size(grid_) > 1;
  return !is_watched && !may_wait && waiting_count_.load(std::memory_order_relaxed) == 0;
}

void Execution::put_back(std::unique_ptr<Group> group) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(group));
  waiting_count_.store(waiting_.size(), std::memory_order_relaxed);
}

void Execution::work(Worker& worker, bool by_caller) {
  std::unique_ptr<Group> group, spare;
  bool has_asked = !by_caller;
  for (unsigned turn = 1; !ended_.load(std::memory_order_relaxed); ++turn) {
    const auto turn_of_races = races::turn();
    if (!by_caller && dismissed_.load(std::memory_order_relaxed)) {
      if (group) put_back(std::move(group));
      break;
    }
    if (!group) group = schedule_ ? next_by_schedule(worker, spare) : next(worker, spare);
    if (!group) break;
    if (by_caller && grid_.tick && turn % 64 == 0) grid_.tick(grid_.tick_of);  // in long turns, the worker sees to it
    if (grid_.stop && grid_.stop->load(std::memory_order_relaxed)) {
      end_with({FaultKind::stopped, 0, {}, 0});
      break;
    }
    worker.spins = false;
    const bool is_short = group->polls || grid_.cooperative || !has_asked;
    const AloneTurn alone(by_caller && has_one_thread_);
    worker.is_alone = alone.is_alone();
    const bool begins_more = has_asked && goes_from_block_to_block(worker);
    worker.begins_blocks_until = begins_more ? worker.instructions + kTurnOfBlocks : 0;
    const auto progress = group->execute(worker, is_short ? kShortSlice : kSlice);
    group->polls = worker.spins || (schedule_ && group->polls);  // a short turn may end between two looks
    if (progress == Progress::finished) spare = std::move(group);
    if (progress == Progress::faulted) end_with(worker.fault);
    const bool hangs = progress == Progress::blocked || (progress == Progress::paused && is_out_of_patience(*group));
    if (hangs) {  // every thread waits for one that will not come
      if (grid_.checks) grid_.checks->found(waiters_of(*group));
      end_with({FaultKind::deadlock, 0, grid_.entry->name, 0});
    }
    if (!has_asked && worker.instructions > kAlone) {
      has_asked = true;
      ask_for_help();
    }
    if (by_caller && worker.changes) try_alone(worker);
    if (progress == Progress::paused && (worker.spins || grid_.cooperative || schedule_)) put_back(std::move(group));
  }
  const std::lock_guard lock(mutex_);
  outcome_.instructions += worker.instructions;
}

}  // namespace nvmlkit::ptx
