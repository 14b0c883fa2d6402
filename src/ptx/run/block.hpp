// A block of a launch: warps that share memory and wait for each other at barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/run/warp.hpp"
#include "ptx/run/whole_warp.hpp"
#include "ptx/run/worker.hpp"

namespace nvmlkit::ptx {

class BlockWatch;
class Compiled;
class Group;
struct CodeContext;
struct PieceNode;

class Block {
 public:
  Block(Worker& worker, Group& group, unsigned rank);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void start(std::uint64_t number);
  // Until all threads have ended, nothing moves for now, or each warp has executed about so many instructions.
  Progress execute(Worker& worker, std::uint64_t instructions_of_warp);

  // Of the worker that executes the block.
  Worker& worker() { return *worker_; }
  std::span<std::byte> shared() { return shared_; }
  Group& group() { return group_; }
  unsigned rank() const { return rank_; }
  std::uint32_t live_threads() const { return live_threads_; }
  const std::vector<std::unique_ptr<Warp>>& warps() const { return warps_; }
  // Warps that have begun.
  unsigned started() const { return started_; }
  // The only warp goes on at a barrier that all of its lanes come to: nobody has arrived before, or looks at it.
  bool has_barriers_of_one_warp() const {
    return warps_.size() == 1 && waited_for_ == 0 && !watch_ && !worker_->schedule;
  }
  // Of a sanitizer that looks at barriers or at the order of accesses; null without one.
  BlockWatch* watch() const { return watch_.get(); }
  // Whether bytes of shared memory are those behind what the program asked for.
  bool is_reserved(std::uint64_t address, std::uint64_t size) const {
    return address >= asked_ && address < shared_.size() && size <= shared_.size() - address;
  }
  // Of so many bytes of shared memory, a byte for each, 0 until something writes it. Null: it is not watched.
  std::byte* written(std::uint64_t address, std::uint64_t size) {
    const bool is_in = address < written_.size() && size <= written_.size() - address;
    return is_in ? written_.data() + address : nullptr;
  }
  // `size` bytes of shared memory of a block of the cluster, or null.
  std::byte* shared_of_peer(std::uint64_t address, std::uint64_t size);

  static constexpr unsigned kBarriers = 16;
  static constexpr unsigned kClusterBarrier = kBarriers;  // what waits for the barrier of the cluster
  // Bytes of shared memory for the libraries that come with the compiler.
  static constexpr std::size_t kReserved = 1024;
  // Bytes of text that wait for the end of the block.
  static constexpr std::size_t kMostPrinted = std::size_t{1} << 20;
  // `expected` threads, 0 for all that live.
  void arrive(unsigned barrier, const Votes& votes, unsigned expected);
  void threads_ended(unsigned threads);
  void release_from_cluster();
  // Grows when the block has another place in the grid. Compiled code reads that of lane 0; other lanes get it when the
  // interpreter goes on.
  std::uint32_t places() const { return places_; }
  // Since the turn of the warp that runs began.
  bool has_released() const { return released_; }
  // To the output of printf, where the text of a block stands together.
  void print(std::string_view text);

 private:
  void clear(std::span<std::byte> bytes) const;  // of shared memory
  struct Barrier {
    Votes arrived;
    unsigned expected = 0;
  };
  void check(unsigned barrier);
  // Behind a barrier the warps go on side by side at first, by turns of few instructions.
  static constexpr unsigned kFirstTurns = 4;
  static constexpr std::uint64_t kFirstTurn = 8;
  Progress take_turns(std::uint64_t instructions_of_warp);
  bool goes_through_phases(std::uint64_t instructions_of_warp, Progress& out);
  bool may_go_through_phases() const;
  void begin_phases();
  bool begins_next();
  PhaseEnd take_turn_of_phase(const Compiled& compiled, CodeContext& context, std::uint64_t instructions);
  // The piece that a warp began its turn with, and how it ended. Null: none yet.
  struct FirstTry {
    const PieceNode* piece = nullptr;
    CodeEnd end = CodeEnd::mismatch;
  };
  std::size_t take_usual_turns(std::size_t number, std::size_t& alike, const Compiled& compiled, CodeContext& context,
                               FirstTry& tried);
  std::size_t end_of_alike(std::size_t number) const;
  bool stops_turn(const CodeContext& context, const Compiled& compiled, bool is_short);
  PhaseEnd take_turn_of_whole(WholeWarp& own, const Compiled& compiled, CodeContext& context, const FirstTry& tried);
  PhaseEnd goes_on_whole(WholeWarp& own, const Compiled& compiled, CodeContext& context, CodeEnd end, bool polls);
  void ends_whole(WholeWarp& own);
  bool ends_at(WholeWarp& own);
  bool is_barrier(std::uint32_t pc) { return pc == barrier_of_phase_ || is_new_barrier(pc); }
  bool is_new_barrier(std::uint32_t pc);
  bool pass_barrier(const Function& kernel);
  void put_result_of_barrier(const Function& kernel, const Instruction& barrier);
  void end_phases();
  Mask lanes_of(unsigned warp) const;  // of a warp that begins
  Progress take_turns_by(Schedule& schedule);
  Progress finish_turns(bool finished, bool moves);
  Progress begin(unsigned index, Turn turn);
  void begin_phase();
  void flush();
  void fill_special(Warp& warp, unsigned index);
  std::array<std::uint32_t, 3> place_of(std::uint64_t number) const;
  void fill_place(std::uint64_t number);

  Worker* worker_;
  Group& group_;
  const unsigned rank_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::byte> memory_;   // shared memory, with kRoomAroundShared on both sides
  std::span<std::byte> shared_;     // what programs reach of it
  std::vector<std::byte> written_;  // of a sanitizer that looks at what was written: of shared memory
  std::size_t asked_ = 0;           // bytes of it that the program asked for
  Barrier barriers_[kBarriers];
  unsigned waited_for_ = 0;               // barriers that some threads have arrived at
  std::uint64_t number_ = 0;              // in the grid
  std::array<std::uint32_t, 3> place_{};  // there
  bool has_place_ = false;
  std::uint32_t places_ = 1;  // that it had
  unsigned live_threads_ = 0;
  unsigned started_ = 0;  // warps that have begun
  bool released_ = false;
  unsigned first_turns_ = 0;              // of warps that went on from a barrier, still to be taken
  std::vector<WholeWarp> whole_warps_;    // while they go through phases by code
  bool are_whole_warps_ready_ = false;    // for the next block
  bool are_alike_ = false;                // all of them begin the phase, with all lanes and without fragments
  std::uint32_t begin_of_phase_ = 0;      // the instruction where all of them began
  std::uint32_t stop_of_phase_ = ~0u;     // the instruction where turns ended last, between two others
  unsigned stopped_ = 0;                  // warps that have stopped there in the present turn
  std::uint32_t barrier_of_phase_ = ~0u;  // the one that a warp came to last
  std::FILE* output_;
  std::string printed_;
  std::unique_ptr<BlockWatch> watch_;
};

}  // namespace nvmlkit::ptx
