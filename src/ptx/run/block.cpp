#include "ptx/run/block.hpp"

#include <algorithm>
#include <type_traits>

#include "ptx/check/block_watch.hpp"
#include "ptx/compile/compiled.hpp"
#include "ptx/run/group.hpp"
#include "ptx/run/schedule.hpp"

namespace nvmlkit::ptx {

Block::Block(Worker& worker, Group& group, unsigned rank)
    : worker_(&worker), group_(group), rank_(rank), output_(worker.grid.output) {
  const auto warps = (worker.threads_of_block + kLanes - 1) / kLanes;
  for (unsigned i = 0; i < warps; ++i) warps_.push_back(std::make_unique<Warp>(*this));
  asked_ = (worker.grid.module->shared_bytes + worker.grid.dynamic_shared + checking.gap + 15) / 16 * 16;
  memory_.resize(kRoomAroundShared + asked_ + kReserved + kRoomAroundShared);
  shared_ = std::span(memory_).subspan(kRoomAroundShared, asked_ + kReserved);
  if (checking.initialized && worker.grid.checks) written_.resize(shared_.size());
  for (unsigned i = 0; i < warps; ++i) fill_special(*warps_[i], i);
  if (checking.watches_blocks() && worker.grid.checks) watch_ = std::make_unique<BlockWatch>(*this);
}

Block::~Block() { flush(); }

void Block::start(std::uint64_t number) {
  if (waited_for_ > 0) std::fill(std::begin(barriers_), std::end(barriers_), Barrier{});
  waited_for_ = 0;
  clear(shared_);
  if (!written_.empty()) {
    clear(written_);
    std::fill_n(written_.rbegin(), kReserved, std::byte{kWritten});  // of the libraries of the compiler
  }
  live_threads_ = worker_->threads_of_block;
  first_turns_ = 0;
  started_ = 0;
  fill_place(number);
  if (watch_) watch_->start();
}

// Shared memory starts as zero, also that of the block before. A module of a library has megabytes of it, and a kernel
// reaches its own variables.
void Block::clear(std::span<std::byte> bytes) const {
  const auto& grid = worker_->grid;
  const auto first = bytes.begin();
  if (grid.entry->calls_by_address) return std::fill(first, bytes.end(), std::byte{});
  for (const auto& span : grid.entry->shared_spans)
    std::fill_n(first + static_cast<std::ptrdiff_t>(span.offset), span.size, std::byte{});
  std::fill(first + static_cast<std::ptrdiff_t>(grid.module->shared_bytes), bytes.end(), std::byte{});
}

// What is the same in all blocks of a launch.
void Block::fill_special(Warp& warp, unsigned index) {
  const auto& grid = worker_->grid;
  auto& s = warp.special();
  const auto fill = [](auto& row, auto value) {
    std::fill_n(row, kLanes, static_cast<std::decay_t<decltype(*row)>>(value));
  };
  auto x = index * kLanes % grid.threads[0], y = index * kLanes / grid.threads[0] % grid.threads[1],
       z = index * kLanes / grid.threads[0] / grid.threads[1];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    s.tid[0][lane] = x;
    s.tid[1][lane] = y;
    s.tid[2][lane] = z;
    if (++x < grid.threads[0]) continue;
    x = 0;
    if (++y < grid.threads[1]) continue;
    y = 0;
    ++z;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Mask own = Mask{1} << lane;
    s.laneid[lane] = lane;
    s.lanemask[0][lane] = own;
    s.lanemask[1][lane] = own | (own - 1);
    s.lanemask[2][lane] = own - 1;
    s.lanemask[3][lane] = ~(own - 1);
    s.lanemask[4][lane] = ~(own | (own - 1));
  }
  for (int k = 0; k < 3; ++k) {
    fill(s.ntid[k], grid.threads[k]);
    fill(s.nctaid[k], grid.blocks[k]);
    fill(s.nclusterid[k], grid.blocks[k] / grid.cluster[k]);
    fill(s.cluster_nctaid[k], grid.cluster[k]);
  }
  fill(s.warpid, index);
  fill(s.nwarpid, warps_.size());
  fill(s.nsmid, grid.multiprocessors);
  const auto of_kernel = (grid.entry->shared_bytes + grid.dynamic_shared + 15) / 16 * 16;
  fill(s.shared_bytes[0], of_kernel);
  fill(s.shared_bytes[1], of_kernel);
  fill(s.shared_bytes[2], grid.dynamic_shared);
  fill(s.reserved[0], asked_);
  fill(s.reserved[1], asked_ + kReserved);
  fill(s.reserved[2], asked_);
  fill(s.reserved[3], asked_ + kReserved / 2);
  fill(s.warp_size, kLanes);
  fill(s.cluster_ctarank, rank_);
  fill(s.cluster_nctarank, cluster_size(grid));
  fill(s.is_explicit_cluster, grid.is_cluster_launch ? kAllLanes : 0);
  fill(s.gridid, grid.number);
  fill(s.envreg[0], 0);
  fill(s.envreg[1], grid.workspace >> 32);
  fill(s.envreg[2], grid.workspace);
  fill(s.envreg[3], grid.of_many >> 32);
  fill(s.envreg[4], grid.of_many);
}

// Mostly next to the block before.
std::array<std::uint32_t, 3> Block::place_of(std::uint64_t number) const {
  const auto x = worker_->grid.blocks[0], y = worker_->grid.blocks[1];
  if (has_place_ && number == number_ + 1 && place_[0] + 1 < x) return {place_[0] + 1, place_[1], place_[2]};
  const auto row = number / x;
  return {static_cast<std::uint32_t>(number - row * x), static_cast<std::uint32_t>(row % y),
          static_cast<std::uint32_t>(row / y)};
}

void Block::fill_place(std::uint64_t number) {
  const auto& grid = worker_->grid;
  const auto place = place_of(number);
  const auto reads = grid.entry->values_of_block;
  const unsigned lanes = engine() == Engine::interpret ? kLanes : 1;
  ++places_;
  for (std::size_t k = 0; k < 3; ++k) {
    if (has_place_ && place_[k] == place[k]) continue;
    place_[k] = place[k];
    for (auto& warp : warps_) warp->special().ctaid[k][0] = place[k];
    if (lanes > 1)
      for (auto& warp : warps_) std::fill_n(warp->special().ctaid[k], lanes, place[k]);
    if (!(reads & kPlaceInClusters)) continue;
    for (auto& warp : warps_) {
      std::fill_n(warp->special().clusterid[k], kLanes, place[k] / grid.cluster[k]);
      std::fill_n(warp->special().cluster_ctaid[k], kLanes, place[k] % grid.cluster[k]);
    }
  }
  has_place_ = true;
  number_ = number;
  if (reads & kMultiprocessor)
    for (auto& warp : warps_)
      std::fill_n(warp->special().smid, kLanes, static_cast<std::uint32_t>(number % grid.multiprocessors));
}

Progress Block::execute(Worker& worker, std::uint64_t instructions_of_warp) {
  worker_ = &worker;
  if (worker.schedule) return take_turns_by(*worker.schedule);
  for (unsigned first = 0;; ++first) {
    const bool begins = first_turns_ > 0;
    if (auto out = Progress::paused; goes_through_phases(instructions_of_warp, out)) return out;
    const auto progress = take_turns(instructions_of_warp);
    if (!begins || first == kFirstTurns || progress != Progress::paused) return progress;
  }
}

// The first turns behind a barrier are short: as on a GPU, what a warp reads there it reads before another one, with
// much to do, writes the same place again.
Progress Block::take_turns(std::uint64_t instructions_of_warp) {
  const bool begins = first_turns_ > 0;
  const unsigned left = begins ? --first_turns_ : 0;
  bool finished = true, moves = false;
  for (unsigned i = 0; i < warps_.size(); ++i) {
    if (!worker_->goes_on()) return Progress::paused;
    released_ = false;
    const bool is_first = begins || first_turns_ > left;
    const Turn turn{is_first ? kFirstTurn : instructions_of_warp, is_first};
    const auto progress = i < started_ ? warps_[i]->execute(turn) : begin(i, turn);
    if (progress == Progress::faulted) {
      flush();
      return progress;
    }
    if (released_ && may_go_through_phases()) return Progress::paused;  // all of them, before any goes on alone
    finished &= progress == Progress::finished;
    moves |= progress == Progress::paused || released_;
  }
  return finish_turns(finished, moves);
}

// A turn of each warp, in the order of a schedule.
Progress Block::take_turns_by(Schedule& schedule) {
  while (started_ < warps_.size()) {
    warps_[started_]->start(started_, lanes_of(started_));
    ++started_;
  }
  bool finished = true, moves = false;
  for (const auto i : schedule.order(started_)) {
    if (!worker_->goes_on()) return Progress::paused;
    released_ = false;
    const auto progress = warps_[i]->execute({schedule.turn(), false});
    if (progress == Progress::faulted) {
      flush();
      return progress;
    }
    finished &= progress == Progress::finished;
    moves |= progress == Progress::paused || released_;
  }
  return finish_turns(finished, moves);
}

Progress Block::finish_turns(bool finished, bool moves) {
  if (!finished && moves) return Progress::paused;
  flush();
  return finished ? Progress::finished : Progress::blocked;
}

// The first turn of a warp.
Progress Block::begin(unsigned index, Turn turn) {
  ++started_;
  warps_[index]->start(index, lanes_of(index));
  return warps_[index]->execute(turn);
}

Mask Block::lanes_of(unsigned warp) const {
  const auto rest = worker_->threads_of_block - warp * kLanes;
  return rest >= kLanes ? kAllLanes : (Mask{1} << rest) - 1;
}

void Block::print(std::string_view text) {
  printed_ += text;
  if (printed_.size() > kMostPrinted) flush();
}

void Block::flush() {
  if (output_ && !printed_.empty()) std::fwrite(printed_.data(), 1, printed_.size(), output_);
  printed_.clear();
}

void Block::arrive(unsigned barrier, const Votes& votes, unsigned expected) {
  auto& b = barriers_[barrier];
  if (b.arrived.threads == 0) ++waited_for_;
  b.arrived += votes;
  b.expected = expected;
  check(barrier);
}

void Block::threads_ended(unsigned threads) {
  live_threads_ -= threads;
  for (unsigned i = 0; waited_for_ > 0 && i < kBarriers; ++i)
    if (barriers_[i].arrived.threads > 0 && barriers_[i].expected == 0) check(i);
  group_.threads_ended(threads);
}

void Block::release_from_cluster() {
  begin_phase();
  if (watch_) watch_->releases_cluster();
  for (auto& warp : warps_) warp->release(kClusterBarrier, {});
}

std::byte* Block::shared_of_peer(std::uint64_t address, std::uint64_t size) { return group_.bytes(address, size); }

void Block::begin_phase() {
  released_ = true;
  if (warps_.size() > 1) first_turns_ = kFirstTurns;
}

void Block::check(unsigned barrier) {
  auto& b = barriers_[barrier];
  if (b.arrived.threads < (b.expected ? b.expected : live_threads_)) return;
  const auto votes = b.arrived;
  if (watch_) watch_->releases(barrier, votes.threads, b.expected);
  b = {};
  --waited_for_;
  begin_phase();
  for (auto& warp : warps_) warp->release(barrier, votes);
}

}  // namespace nvmlkit::ptx
