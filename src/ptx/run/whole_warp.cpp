// How a warp goes on without fragments, and gets them back.
#include "ptx/run/whole_warp.hpp"

#include "ptx/run/block.hpp"

namespace nvmlkit::ptx {

bool Warp::stands_whole_at(std::uint32_t pc) const {
  if (fragments_.size() != 1) return false;
  const auto& only = fragments_.front();
  return only.pc == pc && only.wait == Wait::none && !only.frame->caller;
}

// Fragments can be made again when they are wanted: there is nothing in them but where the warp stands.
bool Warp::needs_no_fragments() const {
  return frames_.size() == 1 && frame_ && frame_->function == block.worker().grid.entry && local_capacity_ == 0;
}

// Of a warp whose lanes have all met again.
bool Warp::drops_fragments() {
  if (!needs_no_fragments()) return false;
  fragments_.clear();
  return true;
}

// Of a block that begins. The frame of the block before will do where there is one.
WholeWarp Warp::begins_whole(unsigned index, Mask lanes) {
  if (!needs_no_fragments()) {
    start(index, lanes);
    return whole();
  }
  index_ = index;
  live_ = lanes;
  refused_ = 0;
  forced_ = false;
  turn_ = 0;
  fragments_.clear();
  free_frames_.clear();
  begin(frame_)->inside = lanes;
  return whole_of(*frame_, lanes);
}

WholeWarp Warp::whole() {
  const auto& only = fragments_.front();
  enter(only);
  auto out = whole_of(*frame_, only.mask);
  out.pc = only.pc;
  out.has_fragments = true;
  return out;
}

WholeWarp Warp::whole_of(Frame& frame, Mask lanes) {
  WholeWarp out;
  out.warp = this;
  out.registers = frame.registers.get();
  out.special = reinterpret_cast<const std::byte*>(&special_);
  out.frame_params = frame.params.data();
  out.carry = &carry;
  out.local = local();
  out.local_bytes = local_capacity_;
  out.lanes = lanes;
  return out;
}

// Its fragment says again where its lanes stand.
void Warp::stands_at(std::uint32_t pc, Mask lanes) {
  if (fragments_.empty()) fragments_.push_back({frame_, pc, lanes, Wait::none, 0});
  fragments_.front().pc = pc;
  enter(fragments_.front());
}

// Behind code, at an instruction that needs more than code.
void Warp::leaves_code() { leave_code(fragments_.front(), fragments_.front().pc); }

// For those that came to the barrier of a phase that not all come to.
void Warp::waits_at_barrier() {
  leaves_code();
  arrives_whole(frame_->function->code[place()]);
}

void Warp::parts_at(std::uint32_t pc, const CodeContext& context) {
  stands_at(pc, context.lanes);
  part(0, context);
}

}  // namespace nvmlkit::ptx
