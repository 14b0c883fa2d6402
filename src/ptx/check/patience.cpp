#include "ptx/check/patience.hpp"

#include <atomic>
#include <chrono>

#include "ptx/check/block_watch.hpp"
#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {
namespace {

using Clock = std::chrono::steady_clock;

// When a kernel of this process last did something that others may wait for.
std::atomic<Clock::rep> last_change{0};

}  // namespace

bool is_out_of_patience(Group& group) {
  if (!checking.barriers) return false;
  bool waits = true;
  for (unsigned rank = 0; rank < group.size(); ++rank)
    if (auto* const watch = group.member(rank).watch())
      waits &= watch->only_polled() || group.member(rank).live_threads() == 0;
  const auto now = Clock::now().time_since_epoch().count();
  if (!waits || last_change.load() == 0) last_change.store(now);
  return Clock::duration(now - last_change.load()) > std::chrono::seconds(checking.patience_s);
}

}  // namespace nvmlkit::ptx
