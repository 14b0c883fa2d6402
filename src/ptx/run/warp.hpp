// A warp: 32 lanes that execute instructions together. Lanes at different instructions are fragments. The fragment that
// is furthest behind runs first, so that fragments meet again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "ptx/checks.hpp"
#include "ptx/local_words.hpp"
#include "ptx/memory_view.hpp"
#include "ptx/module.hpp"
#include "ptx/run/special.hpp"
#include "ptx/run/votes.hpp"

namespace nvmlkit::ptx {

class Block;
class Compiled;
class Schedule;
struct CodeContext;
enum class CodeEnd : std::uint32_t;
class UnwrittenBits;
struct WholeWarp;

// A turn, however long.
inline constexpr unsigned kWholeTurn = 1u << 30;

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
  std::vector<std::byte> params;             // lane after lane
  std::shared_ptr<UnwrittenBits> unwritten;  // of a sanitizer: of registers; null: there are none

  std::byte* param(unsigned lane) { return params.data() + std::size_t{lane} * function->frame_param_bytes; }
};

// What is known of the addresses of some lanes: the ends, and all bits that are set in one.
struct Bounds {
  std::uint64_t low = ~std::uint64_t{0}, high = 0, bits = 0;
};

struct Reach {
  std::uintptr_t base = 0;  // a number: where address 0 would be, nothing has to lie
  std::size_t stride = 0;
  bool is_in_words = false;  // of local memory (local_words.hpp): `base` is where it begins,
  std::uint64_t window = 0;  // and this the address of its first byte
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

// How a turn by compiled code alone ends: at a barrier that all threads of the block come to, with the end of the warp,
// or because it was long enough. Elsewhere: what stands there needs more than code.
enum class PhaseEnd : std::uint8_t { elsewhere, barrier, ended, turn };

struct Turn {
  std::uint64_t instructions = 0;
  bool is_first_of_phase = false;  // a barrier has just let the warps go on
};

class Warp {
 public:
  explicit Warp(Block& owner) : block(owner) {}

  void start(unsigned index, Mask lanes);
  // Executes until no lane can go on, the turn ends, or a barrier of the block lets others go on.
  Progress execute(Turn turn);

  // Of the phases of a block (phases.cpp). All lanes stand at this instruction of the kernel, and wait for nothing.
  bool stands_whole_at(std::uint32_t pc) const;
  WholeWarp begins_whole(unsigned index, Mask lanes);
  WholeWarp whole();
  bool drops_fragments();
  void stands_at(std::uint32_t pc, Mask lanes);
  void leaves_code();
  void waits_at_barrier();
  // Code that began here has ended with lanes in several places.
  void parts_at(std::uint32_t pc, const CodeContext& context);
  void resumes_by(CodeContext& context);
  // For others than compiled code: values of all lanes, where code reads or leaves that of lane 0 alone.
  void complete_values();
  void end_all();
  PhaseEnd takes_turn_of_phase(const Compiled& compiled, CodeContext& context, std::uint64_t instructions);
  // Of a warp whose lanes stand at one instruction: which one.
  std::uint32_t place() const { return fragments_.front().pc; }
  CodeContext context(Mask lanes);
  void put_frame_into(CodeContext& context);

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

  // `size` bytes of memory for a lane; null after a fault. `size` is what the address must be a multiple of. No more
  // than bytes_in_row() of local memory.
  std::byte* resolve(Space space, const Instruction& i, std::uint64_t address, std::size_t size, unsigned lane);
  // The same for all lanes at once, where their addresses lie close together and well: the bytes of a lane begin at
  // base + address + lane * stride. False says nothing.
  bool reach(const Instruction& i, Bounds addresses, std::size_t size, Reach& out);
  // How many bytes of a lane follow each other there.
  std::size_t bytes_in_row(Space space, std::uint64_t address) const;
  // So many bytes of memory that lanes share, or null, which says nothing.
  std::byte* reach_shared_by_lanes(const Instruction& i, std::uint64_t address, std::uint64_t bytes, std::size_t align);
  // The effective addresses of an instruction.
  void addresses(const Instruction& i, std::uint64_t* out) const;

  // Ends the launch, if nothing has ended it yet.
  void fault(FaultKind kind, std::uint64_t address, const Instruction& i, unsigned lane);

  // A check found this in a lane. Lanes end behind their instruction, except where they only read what nothing wrote.
  // `places` are those of an instruction of another function.
  void refuse(BadAccess::Kind kind, Touch touch, Space space, const Instruction& i, std::uint64_t address,
              std::size_t size, unsigned lane, const std::vector<Place>* places = nullptr);
  // A lane freed what is no memory of the heap; it goes on.
  void refuse_free(const Instruction& i, std::uint64_t address, unsigned lane);

  // It may be waiting for another thread of the block: where it does so often, its turn ends sooner.
  void waits(unsigned weight) { budget_ -= weight; }
  // The same for a thread of any block.
  void polls(unsigned weight) {
    polls_ = true;
    waits(weight);
  }

  // For compiled code: one instruction for all lanes. False: it faulted.
  bool execute_one(CodeContext& context, std::uint32_t at, std::int32_t place);

  // Ends the waiting of lanes at a barrier. The result goes to those that asked for a reduction.
  void release(unsigned barrier, const Votes& votes);

  Mask live() const { return live_; }
  std::span<const Fragment> fragments() const { return fragments_; }
  // Of an instruction of the innermost function, and the calls that led to it.
  static std::vector<Place> places_of(const Frame* frame, std::uint32_t pc);
  unsigned index() const { return index_; }
  Frame& frame() const { return *frame_; }
  std::uint64_t local_start() const { return frame_->local_start; }
  // Of local memory, as Block::written() of shared memory.
  std::byte* local_written(unsigned lane, std::uint64_t address, std::uint64_t size) {
    const bool is_in = !local_written_.empty() && address < local_capacity_ && size <= local_capacity_ - address;
    return is_in ? local_written_.data() + lane * local_capacity_ + address : nullptr;
  }
  SpecialValues& special() { return special_; }
  const SpecialValues& special() const { return special_; }

  Block& block;
  Mask carry = 0;  // of the last instruction with .cc

 private:
  // Fragments; `number` is their place in the list, which changes with every take().
  std::size_t choose(Wait wait);
  std::size_t choose_next(std::size_t last);
  std::size_t choose_by(Schedule& schedule);
  std::uint64_t step(std::size_t number);
  std::uint64_t stop(std::size_t number, std::uint32_t pc, std::uint64_t executed);
  bool ends_refused();
  bool goes_by_code(std::size_t& number, std::uint64_t& executed);
  bool ends_by_code(std::size_t& number, std::uint64_t& executed);
  bool calls_or_returns(std::size_t& number, std::uint64_t& executed);
  bool arrives_whole(const Instruction& i);
  CodeEnd run_code(std::size_t number, std::uint64_t& executed);
  bool takes_turn_by_code(Turn turn, Progress& out);
  WholeWarp whole_of(Frame& frame, Mask lanes);
  bool needs_no_fragments() const;
  Fragment& fragment_of_phase();
  void join_in_phase(std::size_t number);
  bool ends_in_phase(std::size_t number);
  bool ends_turn(Turn turn, std::size_t number, Progress& out);
  void part(std::size_t number, const CodeContext& context);
  void have_arrived(Fragment& own, CodeContext& context);
  void leave_code(Fragment& fragment, std::uint32_t at);
  Mask guarded(const Instruction& i, Mask lanes) const;
  std::uint32_t end_of_turn(std::uint32_t pc, std::uint32_t limit, std::uint64_t executed) const;
  std::uint32_t place_of_more_code(std::uint32_t pc);
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
  bool has_room_for(const Frame& caller, const Function& callee);
  Frame* frame_of_call(const Fragment& own, const CallSite& site, const Function& callee, Mask lanes);
  Fragment return_from(Frame& frame, Mask lanes);
  bool calls_or_returns_alone();
  void leave(const Fragment& own, Mask lanes);
  void end(Frame* frame, Mask lanes);
  static void release(Fragment& waiting, const Votes& votes);
  void arrive(const Fragment& own, const Instruction& i, Mask lanes);
  Votes votes_at(const Instruction& barrier, Mask lanes) const;
  void arrive_in_cluster(const Fragment& own, Mask lanes);
  void wait_for_cluster(const Fragment& own, Mask lanes);

  BadAccess bad_access(BadAccess::Kind kind, Touch touch, Space space, const Instruction& i, std::uint64_t address,
                       std::size_t size, unsigned lane, const std::vector<Place>* places = nullptr) const;
  std::byte* no_place(FaultKind kind, Space space, const Instruction& i, std::uint64_t address, std::size_t size,
                      unsigned lane);
  Frame* new_frame(const Function& function);
  static Frame* begin(Frame* frame);
  bool has_local(std::uint64_t size);
  void forget_local(std::uint64_t start, std::uint64_t size, Mask lanes);

  std::byte* areas_[4] = {};
  Frame* frame_ = nullptr;
  std::vector<Fragment> fragments_;
  std::vector<Fragment> released_;              // while release() lasts
  std::vector<std::unique_ptr<Frame>> frames_;  // in use, and free ones
  std::vector<Frame*> free_frames_;
  struct alignas(kLocalAlign) Line {
    std::byte bytes[kLocalAlign];
  };
  std::byte* local() { return reinterpret_cast<std::byte*>(local_.data()); }
  std::vector<Line> local_;
  std::vector<std::byte> local_written_;  // lane after lane
  std::uint64_t local_capacity_ = 0;      // of a lane
  bool has_local_words_ = false;
  Mask live_ = 0, refused_ = 0;
  unsigned index_ = 0;
  std::int64_t budget_ = 0;    // instructions that are left of the turn
  std::uint32_t places_ = 0;   // of the block, up to the one that all lanes know
  std::uint32_t resumes_ = 0;  // an instruction where there may be code again; 0: none is known
  bool polls_ = false;
  bool has_tried_code_ = false;               // where the fragment is, no code fits
  std::uint32_t cluster_phase_[kLanes] = {};  // that lanes arrived in at the barrier of the cluster
  bool forced_ = false;                       // lanes that wait for others that do not come go on without them
  std::size_t turn_ = 0;                      // the number of the fragment whose slice ran out, and 1
  SpecialValues special_;                     // behind what each turn needs
};

}  // namespace nvmlkit::ptx
