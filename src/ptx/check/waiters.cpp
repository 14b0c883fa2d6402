#include "ptx/check/waiters.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "ptx/run/group.hpp"

namespace nvmlkit::ptx {
namespace {

struct Threads {
  const Warp* warp = nullptr;  // of the first one
  unsigned lane = 0;
  std::uint32_t last = 0, count = 0;
  bool has_gap = false;
};

std::string place_in(const Block& block, std::uint32_t thread) {
  const auto& s = block.warps()[thread / kLanes]->special();
  const auto lane = thread % kLanes;
  return '(' + std::to_string(s.tid[0][lane]) + ',' + std::to_string(s.tid[1][lane]) + ',' +
         std::to_string(s.tid[2][lane]) + ')';
}

std::string text_of(const Fragment& f) {
  if (f.wait == Wait::lanes) return "wait for other lanes of the warp";
  if (f.wait == Wait::none) return "look at memory again and again";
  if (f.barrier == Block::kClusterBarrier) return "wait at the barrier of the cluster";
  return "wait at barrier " + std::to_string(f.barrier);
}

std::uint32_t return_of(const Fragment& f) { return f.frame->caller ? f.frame->return_to : 0; }

void add_block(const Block& block, std::vector<Waiters>& out) {
  struct Found {
    Fragment fragment;
    Threads threads;
  };
  std::map<std::tuple<const Function*, std::uint32_t, std::uint32_t, std::string>, Found> all;
  for (unsigned k = 0; k < block.started(); ++k) {
    const auto& warp = *block.warps()[k];
    for (const auto& f : warp.fragments()) {
      auto& [fragment, threads] = all[{f.frame->function, f.pc, return_of(f), text_of(f)}];
      for (Mask left = f.mask; left != 0; left &= left - 1) {
        const auto thread = k * kLanes + static_cast<unsigned>(std::countr_zero(left));
        if (threads.count == 0) {
          fragment = f;
          threads.warp = &warp;
          threads.lane = thread;
        } else {
          threads.has_gap |= thread != threads.last + 1;
        }
        threads.last = thread;
        ++threads.count;
      }
    }
  }
  for (const auto& [key, found] : all) {
    const auto& [fragment, threads] = found;
    Waiters w;
    w.text = text_of(fragment);
    w.count = threads.count;
    w.threads = place_in(block, threads.lane);
    if (threads.count > 1)
      w.threads += (threads.has_gap ? " and others up to " : " to ") + place_in(block, threads.last);
    for (int d = 0; d < 3; ++d) w.block[d] = threads.warp->special().ctaid[d][0];
    w.places = Warp::places_of(fragment.frame, fragment.pc);
    out.push_back(std::move(w));
  }
}

}  // namespace

std::vector<Waiters> waiters_of(const Group& group) {
  std::vector<Waiters> out;
  for (unsigned rank = 0; rank < group.size(); ++rank) add_block(group.member(rank), out);
  return out;
}

}  // namespace nvmlkit::ptx
