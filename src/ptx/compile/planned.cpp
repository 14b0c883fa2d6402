// How a function comes to the pieces of earlier processes, and leaves its own to later ones.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "ptx/compile/compiled.hpp"
#include "ptx/compile/queue.hpp"

namespace nvmlkit::ptx {
namespace {

// Never destroyed: threads may still execute kernels when the process ends.
struct Remembered {
  std::mutex mutex;
  std::set<Compiled*> all;
};
Remembered& remembered() {
  static auto* const the = new Remembered;
  return *the;
}

}  // namespace

void Compiled::take_plan() {
  if (key_.empty()) return;
  const auto text = kept_file(key_);
  if (!text) return;
  taken_ = plan_of(*text, key_, function_).value_or(Plan());
  kept_ = taken_;
  std::vector<std::optional<std::string>> objects;
  for (const auto& piece : taken_)
    objects.push_back(piece.kind == Planned::piece ? kept_file(piece.file) : std::nullopt);
  code_of_plan_ = LinkedCode::of(objects);
  for (std::size_t k = 0; k < taken_.size(); ++k) {
    const auto& piece = taken_[k];
    auto& spot = this->spot(piece.at, piece.lanes);
    if (piece.kind == Planned::visited) {
      spot.may_begin.store(true, std::memory_order_relaxed);
      spot.visits.store(piece.visits, std::memory_order_relaxed);
      spot.earlier_visits = piece.visits;
      continue;
    }
    if (piece.kind != Planned::piece) {
      const bool is_none = piece.kind == Planned::none;
      if (!is_none && !spot.pieces.first()) continue;  // their code is gone
      spot.count.store(is_none ? kNever : kMostPieces, std::memory_order_relaxed);
      spot.may_begin_anew = !is_none;
      continue;
    }
    const auto code = code_of_plan_ ? code_of_plan_->codes()[k] : nullptr;
    if (!code) continue;
    spot.may_begin.store(true, std::memory_order_relaxed);
    auto node = std::make_unique<PieceNode>();
    node->code = {{code, piece.places, nullptr, {}}, next_number()};
    piece.file.copy(node->code.piece.file.data(), node->code.piece.file.size() - 1);
    node->idle = piece.idle;
    node->at = piece.at;
    node->lanes = piece.lanes;
    spot.pieces.add_last(*node);
    spot.count.fetch_add(1, std::memory_order_relaxed);
    spot.may_begin_anew = true;
    nodes_.push_back(std::move(node));
  }
  piece_count_.store(nodes_.size(), std::memory_order_relaxed);
}

Plan Compiled::plan(bool is_end) const {
  Plan out;
  for (std::size_t k = 0; k < spots_.size(); ++k) {
    const auto at = static_cast<std::uint32_t>(k / 2);
    const auto lanes = static_cast<CodeFor>(k % 2);
    bool is_in_use = false;
    for (const auto* const node : spots_[k].pieces.nodes()) {
      const auto& piece = node->code.piece;
      if (piece.file[0] == 0) continue;
      const auto idle = node->is_used.load(std::memory_order_relaxed) ? 0 : node->idle + (is_end ? 1 : 0);
      is_in_use |= idle == 0;
      out.push_back({at, lanes, piece.places, idle, piece.file.data(), Planned::piece});
    }
    // Of use while its pieces are, or while there is nothing that can be compiled.
    const auto count = spots_[k].count.load(std::memory_order_relaxed);
    if (count == kNever)
      out.push_back({at, lanes, 0, 0, {}, Planned::none});
    else if (count >= kMostPieces && is_in_use)
      out.push_back({at, lanes, 0, 0, {}, Planned::no_more});
    else if (const auto visits = visits_to_keep(k); is_end && visits > 0)
      out.push_back({at, lanes, 0, kMostIdle - 1, {}, Planned::visited, visits});
  }
  return out;
}

void Compiled::keep_plan(bool is_end) {
  if (key_.empty()) return;
  const std::unique_lock lock(plan_mutex_, std::try_to_lock);
  if (!lock) return;
  auto own = plan(is_end);
  if (own == kept_) return;
  kept_ = own;
  auto known = given_up_;
  for (const auto* const pieces : {&own, &taken_})
    for (const auto& piece : *pieces) known.push_back(piece.file);
  Plan others;
  if (const auto text = kept_file(key_)) others = plan_of(*text, key_, function_).value_or(Plan());
  keep_file(key_, text_of(merged(std::move(own), others, known), key_));
}

void Compiled::remember_plan(Compiled& compiled) {
  static std::atomic_flag is_at_exit = ATOMIC_FLAG_INIT;
  if (!is_at_exit.test_and_set()) std::atexit(&keep_plans);
  const std::scoped_lock lock(remembered().mutex);
  remembered().all.insert(&compiled);
}

void Compiled::forget_plan(Compiled& compiled) {
  const std::scoped_lock lock(remembered().mutex);
  remembered().all.erase(&compiled);
}

// Of a process that was forked while another thread had a lock, nothing is kept.
void Compiled::keep_plans() {
  CompileQueue::end();
  const std::unique_lock lock(remembered().mutex, std::try_to_lock);
  if (!lock) return;
  for (auto* const compiled : remembered().all) compiled->keep_plan(true);
}

}  // namespace nvmlkit::ptx
