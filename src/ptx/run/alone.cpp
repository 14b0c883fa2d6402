#include "ptx/run/alone.hpp"

#include <atomic>
#include <thread>

#include "ptx/changing_memory.hpp"

namespace nvmlkit::ptx {
namespace {

constinit std::atomic<unsigned> changes{0};
constinit std::atomic<bool> has_alone_turn{false}, others_share{false};
thread_local bool is_own_turn = false;  // a kernel may launch others within it, and copy

}  // namespace

void others_share_memory() { others_share.store(true); }

// Each side first says what it does and then looks at the other: one of them sees the other.
ChangingMemory::ChangingMemory() {
  changes.fetch_add(1);
  while (has_alone_turn.load() && !is_own_turn) std::this_thread::yield();
}

ChangingMemory::~ChangingMemory() { changes.fetch_sub(1); }

AloneTurn::AloneTurn(bool has_one_thread) {
  if (!has_one_thread || others_share.load() || changes.load() != 1) return;
  has_alone_turn.store(true);
  is_alone_ = changes.load() == 1;
  is_own_turn = is_alone_;
  if (!is_alone_) has_alone_turn.store(false);
}

AloneTurn::~AloneTurn() {
  if (!is_alone_) return;
  is_own_turn = false;
  has_alone_turn.store(false);
}

}  // namespace nvmlkit::ptx
