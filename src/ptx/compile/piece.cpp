#include "ptx/compile/piece.hpp"

namespace nvmlkit::ptx {
namespace {

// A piece goes to the front when it has fitted twice as many warps as the first one, and some more.
constexpr std::uint32_t kMore = 32;
// Warps after which older ones count half.
constexpr std::uint32_t kMemory = 4096;

// Counted warps that leave a piece early before it is given up.
constexpr std::uint32_t kSurprises = 64;

const PieceNode* next_of(const PieceNode& node) { return node.next.load(std::memory_order_acquire); }

}  // namespace

bool PieceNode::counts(bool is_surprising) const {
  const auto all = seen.load(std::memory_order_relaxed) + 1;
  const auto early = surprising.load(std::memory_order_relaxed) + (is_surprising ? 1 : 0);
  seen.store(all, std::memory_order_relaxed);
  surprising.store(early, std::memory_order_relaxed);
  return early >= kSurprises && 2 * early > all;
}

void PieceList::add_first(PieceNode& node) {
  const std::scoped_lock lock(mutex_);
  node.list = this;
  node.next.store(first(), std::memory_order_relaxed);
  first_.store(&node, std::memory_order_release);
}

void PieceList::add_last(PieceNode& node) {
  const std::scoped_lock lock(mutex_);
  node.list = this;
  const auto* last = first();
  if (!last) return first_.store(&node, std::memory_order_release);
  while (const auto* const next = next_of(*last)) last = next;
  last->next.store(&node, std::memory_order_release);
}

std::vector<const PieceNode*> PieceList::nodes() const {
  const std::scoped_lock lock(mutex_);
  std::vector<const PieceNode*> out;
  for (const auto* each = first(); each; each = next_of(*each)) out.push_back(each);
  return out;
}

void PieceList::count(const PieceNode& node) {
  const auto fitted = node.fitted.load(std::memory_order_relaxed) + 1;
  node.fitted.store(fitted, std::memory_order_relaxed);
  node.since.store(node.since.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const auto* const front = first();
  if (&node != front && fitted >= 2 * front->fitted.load(std::memory_order_relaxed) + kMore) move_to_front(node);
  if (fitted < kMemory) return;
  for (const auto* each = first(); each; each = next_of(*each))
    each->fitted.store(each->fitted.load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
}

void PieceList::begin_count() {
  for (const auto* each = first(); each; each = next_of(*each)) each->since.store(0, std::memory_order_relaxed);
}

const PieceNode* PieceList::least_useful(std::uint32_t most) const {
  const PieceNode* out = nullptr;
  auto least = most;
  for (const auto* each = first(); each; each = next_of(*each)) {
    const auto fitted = each->since.load(std::memory_order_relaxed);
    if (fitted > least) continue;
    out = each;
    least = fitted;
  }
  return out;
}

bool PieceList::remove(const PieceNode& node) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  const auto* const behind = next_of(node);
  if (first() == &node) {
    first_.store(behind, std::memory_order_release);
    return true;
  }
  const auto* before = first();
  while (before && next_of(*before) != &node) before = next_of(*before);
  if (before) before->next.store(behind, std::memory_order_release);
  return before != nullptr;
}

void PieceList::move_to_front(const PieceNode& node) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const auto* const front = first();
  const auto* before = front;
  while (before && next_of(*before) != &node) before = next_of(*before);
  if (!before) return;  // another thread moved it
  before->next.store(next_of(node), std::memory_order_release);
  node.next.store(front, std::memory_order_release);
  first_.store(&node, std::memory_order_release);
}

}  // namespace nvmlkit::ptx
