// A warp: 32 lanes that execute instructions together. Lanes that took different ways are fragments; the one that is
// furthest behind goes first, so that they meet again where their ways do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "ptx/memory_view.hpp"
#include "ptx/module.hpp"
#include "ptx/special.hpp"

namespace nvmlkit::ptx {

class Block;

struct Frame {
  const Function* function = nullptr;
  Frame* caller = nullptr;
  const CallSite* site = nullptr;
  std::uint32_t return_to = 0;  // instruction of the caller
  std::uint32_t depth = 0;
  std::uint64_t local_start = 0;
  Mask inside = 0;  // lanes that have not returned
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], Free> registers;
  std::vector<std::byte> params;  // lane after lane

  std::byte* param(unsigned lane) { return params.data() + std::size_t{lane} * function->frame_param_bytes; }
};

struct Reach {
  std::uintptr_t base = 0;  // a number: where address 0 would be, nothing has to lie
  std::size_t stride = 0;
};

enum class Wait : std::uint8_t { none, barrier, lanes };

struct Fragment {
  Frame* frame = nullptr;
  std::uint32_t pc = 0;
  Mask mask = 0;
  Wait wait = Wait::none;
  std::uint8_t barrier = 0;
};

enum class Progress : std::uint8_t { finished, blocked, paused, faulted };

class Warp {
 public:
  explicit Warp(Block& owner) : block(owner) {}

  void start(unsigned index, Mask lanes);
  // Executes until no lane can go on, or for about so many instructions.
  Progress run(std::uint64_t instructions);

  // The 32 values of an operand.
  template <class T>
  T* at(Operand operand) const {
    return reinterpret_cast<T*>(areas_[operand.packed >> 30] + (operand.packed & 0x3FFFFFFF));
  }
  Mask predicate(Operand operand) const { return *at<Mask>(operand); }
  void set_predicate(Operand operand, Mask lanes, Mask value) const {
    auto& p = *at<Mask>(operand);
    p = (p & ~lanes) | (value & lanes);
  }

  // `size` bytes of memory for a lane; null after a fault. `size` is what the address must be a multiple of.
  std::byte* resolve(Space space, const Instruction& i, std::uint64_t address, std::size_t size, unsigned lane);
  // The same for all lanes at once, where their addresses lie close together and well: the bytes of a lane begin at
  // base + address + lane * stride. False says nothing.
  bool reach(const Instruction& i, const std::uint64_t* addresses, Mask lanes, std::size_t size, Reach& out);
  // The effective addresses of an instruction.
  void addresses(const Instruction& i, std::uint64_t* out) const;

  void fault(FaultKind kind, std::uint64_t address, const Instruction& i);

  // Ends its turn soon: it waits for what others do.
  void yield() { yields_ = true; }

  // Ends the waiting of lanes at a barrier; `predicate` goes to those that asked for a reduction.
  void release(unsigned barrier, std::uint32_t arrived_true, std::uint32_t arrived);

  Mask live() const { return live_; }
  unsigned index() const { return index_; }
  Frame& frame() const { return *frame_; }
  SpecialValues& special() { return special_; }

  Block& block;
  Mask carry = 0;  // of the last instruction with .cc

 private:
  // Fragments; `number` is their place in the list, which changes with every take().
  std::size_t choose();
  std::size_t choose_next(std::size_t last);
  void step(std::size_t number, std::int64_t& budget);
  void enter(const Fragment& fragment);
  std::uint32_t limit_of(std::size_t number) const;
  bool is_ahead(std::size_t number) const;
  void add(const Fragment& fragment);
  Fragment take(std::size_t number);
  bool converge(std::size_t number, const Instruction& i, Mask lanes);

  // What becomes of lanes.
  void control(std::size_t number, const Instruction& i, Mask lanes);
  void call(const Fragment& own, const Instruction& i, Mask lanes);
  void call_function(const Fragment& own, const CallSite& site, const Function& callee, Mask lanes,
                     const Instruction& i);
  void leave(const Fragment& own, Mask lanes);
  void end(Frame* frame, Mask lanes);
  void arrive(const Fragment& own, const Instruction& i, Mask lanes);
  void arrive_in_cluster(const Fragment& own, Mask lanes);
  void wait_for_cluster(const Fragment& own, Mask lanes);

  Frame* new_frame(const Function& function);
  bool has_local(std::uint64_t size);

  std::byte* areas_[4] = {};
  Frame* frame_ = nullptr;
  std::vector<Fragment> fragments_;
  std::vector<std::unique_ptr<Frame>> frames_;  // in use, and free ones
  std::vector<Frame*> free_frames_;
  std::vector<std::byte> local_;  // lane after lane
  std::uint64_t local_capacity_ = 0;
  SpecialValues special_;
  Mask live_ = 0;
  unsigned index_ = 0;
  std::uint32_t cluster_phase_[kLanes] = {};  // that lanes arrived in at the barrier of the cluster
  bool yields_ = false;
  bool forced_ = false;   // lanes that wait for others that do not come go on without them
  std::size_t turn_ = 0;  // the number of the fragment whose slice ran out, and 1
};

}  // namespace nvmlkit::ptx
