#include "ptx/compile/compiled.hpp"

#include <algorithm>

#include "ptx/compile/library.hpp"
#include "ptx/compile/queue.hpp"
#include "ptx/compile/shared_writes.hpp"
#include "ptx/compile/visits.hpp"
#include "ptx/module.hpp"
#include "ptx/run/special.hpp"

namespace nvmlkit::ptx {
namespace {

// Visits of an instruction after which it is worth compiling what follows. An instruction takes 2.5 ms to compile, as
// much as 250,000 visits take in the interpreter. But a thread of its own compiles, and later processes have the code.
// Thrust's stable_sort took 26.7 s of the processor with 8,000, 16.2 s with 24,000, and 11.8 s with 64,000. The first
// run of Rodinia's srad_v2 took 4.8 s with 8,000, and 5.6 s with 24,000.
constexpr std::uint32_t kVisitsBefore = 24000;
// And where another piece was asked for before: so many more when that is there.
constexpr std::uint32_t kVisitsAgain = 500;
// Where no code of the function ends, although there is some: most such places are on the way of a piece.
constexpr std::uint32_t kVisitsElsewhere = 36000;
// A place without code loses one of so many visits from process to process.
constexpr std::uint32_t kPartToLose = 12;
// Of the pieces for one instruction, the first ones fit warps like those that they were made for; each later one
// assumes less than the one before.
constexpr std::uint8_t kSpecialPieces = 3;
// An instruction has as many pieces as it may have. So many warps fit none of them before one is given up.
constexpr std::uint32_t kMisses = 4096;
// With Engine::compile, a large kernel gets a further piece for an instruction behind so many visits that no piece
// fits. A SIMT product of CUTLASS had 84 pieces, and 58 of them were such.
constexpr std::size_t kPiecesOfLarge = 16;
constexpr std::uint32_t kMismatchesBefore = 500;

bool is_in_middle_of_block(const CodeContext& warp) {
  const auto& special = *reinterpret_cast<const SpecialValues*>(warp.special);
  return special.warpid[0] == special.nwarpid[0] / 2;
}

}  // namespace

std::uint32_t Compiled::next_number() {
  static std::atomic<std::uint32_t> pieces{0};
  return pieces.fetch_add(1);
}

Compiled::Compiled(const Function& function)
    : function_(function),
      spots_(2 * function.code.size()),
      is_end_of_code_(function.code.size()),
      key_(plan_key(function)) {
  const auto& code = function.code;
  const auto allow = [&](std::size_t at) {
    for (const auto k : {2 * at, 2 * at + 1}) spots_[k].may_begin.store(true, std::memory_order_relaxed);
  };
  allow(0);
  if (!is_end_of_code_.empty()) is_end_of_code_[0].store(true);  // each call begins there
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (writes_shared(function, static_cast<std::uint32_t>(k))) allow(k);
    if (code[k].kind == Kind::plain || code[k].kind == Kind::guarded) continue;
    if (k + 1 < code.size()) allow(k + 1);
    if (code[k].kind == Kind::branch) allow(code[k].immediate);
    if (code[k].kind == Kind::branch_table)
      for (const auto target : function.tables[code[k].side]) allow(target);
  }
  take_plan();
}

Compiled::~Compiled() {
  for (const auto& node : nodes_)
    if (node->code.piece.kept) compiler()->release(node->code.piece);
  if (was_asked_for_ && compiler()) compiler()->forget(function_);
}

void Compiled::end(Compiled* compiled) {
  static std::atomic<bool> is_stuck{false};
  if (!compiled) return;
  forget_plan(*compiled);
  if (is_stuck.load()) return;
  if (engine() == Engine::choose && !CompileQueue::own().forget(*compiled)) return is_stuck.store(true);
  compiled->keep_plan(true);
  delete compiled;
}

Compiled& Compiled::of(const Function& function) {
  auto* known = function.compiled.load(std::memory_order_acquire);
  if (known) return *known;
  auto made = std::make_unique<Compiled>(function);
  if (!function.compiled.compare_exchange_strong(known, made.get())) return *known;
  remember_plan(*made);
  return *made.release();
}

void Compiled::begins_launch(std::span<const std::byte> params) {
  const std::scoped_lock lock(launches_);
  if (params_.size() == params.size()) {
    for (std::size_t k = 0; k < params.size(); ++k)
      if (params[k] != params_[k]) varied_[k] = std::byte{1};
    return;
  }
  params_.assign(params.begin(), params.end());
  varied_.assign(params.size(), std::byte{0});
}

CodeFor Compiled::lanes_of(const CodeContext& warp) {
  return warp.lanes == kAllLanes ? CodeFor::all_lanes : CodeFor::some_lanes;
}

bool Compiled::is_worth_a_visit(std::uint32_t at, CodeFor lanes) const {
  const auto& spot = spots_[2 * at + static_cast<std::size_t>(lanes)];
  return spot.may_begin.load(std::memory_order_relaxed) && spot.count.load(std::memory_order_relaxed) != kNever;
}

const PieceNode* Compiled::visit(std::uint32_t at, const CodeContext& warp) {
  auto& spot = this->spot(at, lanes_of(warp));
  if (const auto* const first = spot.pieces.first()) return first;
  if (engine() == Engine::compile) return add(at, warp);
  const bool is_elsewhere =
      piece_count_.load(std::memory_order_relaxed) > 0 && !is_end_of_code_[at].load(std::memory_order_relaxed);
  const auto enough = is_elsewhere ? kVisitsElsewhere : kVisitsBefore;
  const auto before = spot.visits.load(std::memory_order_relaxed);
  const auto visit = next_visit(before, enough, before + 1 >= enough && is_in_middle_of_block(warp));
  const bool must_wait = visit.is_due && is_pending_.load(std::memory_order_relaxed);
  spot.visits.store(must_wait ? enough - kVisitsAgain : visit.count, std::memory_order_relaxed);
  return visit.is_due && !must_wait ? add(at, warp) : nullptr;
}

// A place that waits for its turn keeps them. Others lose a part: they are worth it if most processes come there often,
// 2,000 times or more.
std::uint32_t Compiled::visits_to_keep(std::size_t number) const {
  const auto& spot = spots_[number];
  if (spot.count.load(std::memory_order_relaxed) != 0) return 0;
  const auto visits = spot.visits.load(std::memory_order_relaxed);
  const auto own = visits - std::min(visits, spot.earlier_visits);
  if (own < kVisitsAgain) return 0;
  const bool is_end = is_end_of_code_[number / 2].load(std::memory_order_relaxed);
  const bool waits = own >= kVisitsBefore - kVisitsAgain && is_end;
  const auto enough = is_end ? kVisitsBefore : kVisitsElsewhere;
  return waits ? kVisitsBefore - kVisitsAgain : std::min(visits - visits / kPartToLose, enough - kVisitsAgain);
}

// An earlier process may have had other warps, none of whose pieces fit those of this one.
bool Compiled::has_room(Spot& spot) {
  if (spot.count.load(std::memory_order_relaxed) < kMostPieces) return true;
  if (!spot.may_begin_anew) return makes_room(spot);
  for (const auto* node = spot.pieces.first(); node; node = node->next.load(std::memory_order_acquire))
    if (node->is_used.load(std::memory_order_relaxed)) return makes_room(spot);
  spot.count.store(0, std::memory_order_relaxed);
  return true;
}

// All pieces may have been made for warps of which there are few. After some that none fits, one makes room that fits
// less than a fourth as many.
bool Compiled::makes_room(Spot& spot) {
  const auto misses = spot.misses.fetch_add(1, std::memory_order_relaxed) + 1;
  if (misses == 1) spot.pieces.begin_count();
  if (misses < kMisses || !spot.pieces.first()) return false;
  spot.misses.store(0, std::memory_order_relaxed);
  const auto* const node = spot.pieces.least_useful(kMisses / 4 / kWarpsForOneCounted);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!node || !lock || spot.replaced == kMostPieces || !take_out(spot, *node)) return false;
  ++spot.replaced;
  return true;
}

bool Compiled::take_out(Spot& spot, const PieceNode& node) {
  if (!spot.pieces.remove(node)) return false;
  spot.count.fetch_sub(1, std::memory_order_relaxed);
  const std::scoped_lock lock(plan_mutex_);
  given_up_.emplace_back(node.code.piece.file.data());
  return true;
}

bool Compiled::is_worth_another(Spot& spot) {
  if (spot.count.load(std::memory_order_relaxed) == 0 || piece_count_.load(std::memory_order_relaxed) < kPiecesOfLarge)
    return true;
  if (spot.visits.fetch_add(1, std::memory_order_relaxed) + 1 < kMismatchesBefore) return false;
  spot.visits.store(0, std::memory_order_relaxed);
  return true;
}

const PieceNode* Compiled::add(std::uint32_t at, const CodeContext& warp) {
  auto& spot = this->spot(at, lanes_of(warp));
  if (!has_room(spot)) return nullptr;
  if (engine() == Engine::compile) return is_worth_another(spot) ? make(at, warp) : nullptr;
  if (is_pending_.exchange(true)) return nullptr;
  CompileJob job{this, at, warp, {}, {}, {}, {}};
  job.registers.assign(warp.registers, warp.registers + function_.register_bytes + 64);
  job.special.assign(warp.special, warp.special + sizeof(SpecialValues));
  job.params.assign(warp.params, warp.params + warp.param_bytes);
  {
    const std::scoped_lock lock(launches_);
    if (varied_.size() >= warp.param_bytes) job.varied = varied_;
  }
  CompileQueue::own().add(std::move(job));
  return nullptr;
}

void Compiled::give_up(std::uint32_t at, const CodeContext& warp) {
  auto& spot = this->spot(at, lanes_of(warp));
  spot.visits.store(0, std::memory_order_relaxed);
  is_pending_.store(false);
}

void Compiled::give_up(const PieceNode& node) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  auto& spot = this->spot(node.at, node.lanes);
  if (!lock || spot.given_up == kSpecialPieces || !take_out(spot, node)) return;
  ++spot.given_up;
  spot.visits.store(kVisitsBefore - kVisitsAgain, std::memory_order_relaxed);
}

const PieceNode* Compiled::make(std::uint32_t at, const CodeContext& warp) {
  const std::scoped_lock lock(mutex_);
  const auto* const made = make_one(spot(at, lanes_of(warp)), at, warp);
  is_pending_.store(false);
  if (engine() == Engine::choose) keep_plan(false);
  return made;
}

const PieceNode* Compiled::make_one(Spot& spot, std::uint32_t at, const CodeContext& warp) {
  const auto count = spot.count.load(std::memory_order_relaxed);
  if (count >= kMostPieces) return nullptr;
  was_asked_for_.store(true);
  auto node = std::make_unique<PieceNode>();
  const bool is_special = count + spot.given_up < kSpecialPieces;
  const auto assumes = is_special ? Assumes::as_much : Assumes::what_is_common;
  if (!compiler() ||
      !compiler()->compile(function_, at, warp, lanes_of(warp), spot.newest, assumes, node->code.piece)) {
    spot.count.store(spot.pieces.first() ? kMostPieces : kNever, std::memory_order_relaxed);
    return nullptr;
  }
  node->code.number = next_number();
  node->at = at;
  node->lanes = lanes_of(warp);
  spot.count.store(static_cast<std::uint8_t>(count + 1), std::memory_order_relaxed);
  spot.newest = &node->code.piece;
  if (assumes == Assumes::as_much)
    spot.pieces.add_first(*node);
  else
    spot.pieces.add_last(*node);
  nodes_.push_back(std::move(node));
  piece_count_.store(nodes_.size(), std::memory_order_relaxed);
  return nodes_.back().get();
}

}  // namespace nvmlkit::ptx
