// What the compiler made of a function: pieces of code by the instruction that they begin at.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ptx/compile/linked.hpp"
#include "ptx/compile/piece.hpp"
#include "ptx/compile/plan.hpp"

namespace nvmlkit::ptx {

// How kernels are executed: NVMLKIT_CUDA_ENGINE.
enum class Engine : std::uint8_t { interpret, compile, choose };
// `interpret` where the compiler's library is missing.
Engine engine();

class Compiled {
 public:
  explicit Compiled(const Function& function);
  ~Compiled();

  static Compiled& of(const Function& function);
  // With its function. It stays where the compiler does not come to an end with it.
  static void end(Compiled* compiled);

  // A launch of the kernel: what it is given that others were not is no constant of its code.
  void begins_launch(std::span<const std::byte> params);
  // Whether a warp that comes here should look for code.
  bool is_worth_a_visit(std::uint32_t at, CodeFor lanes) const;
  // Those that are there already.
  const PieceNode* pieces_at(std::uint32_t at, CodeFor lanes) const {
    return spots_[2 * at + static_cast<std::size_t>(lanes)].pieces.first();
  }
  bool has_pieces_at(std::uint32_t at) const {
    return pieces_at(at, CodeFor::all_lanes) || pieces_at(at, CodeFor::some_lanes);
  }
  // Counts the visit of a warp. Null: the interpreter goes on.
  const PieceNode* visit(std::uint32_t at, const CodeContext& warp);
  // Code has ended there: more of it is worth having.
  void has_left_at(std::uint32_t at) {
    if (!is_end_of_code_[at].load(std::memory_order_relaxed))
      is_end_of_code_[at].store(true, std::memory_order_relaxed);
  }
  // It has ended there because it would be too large, or the interpreter executes what is in front: code goes on.
  void may_go_on_at(std::uint32_t at) {
    for (const auto lanes : {CodeFor::all_lanes, CodeFor::some_lanes}) {
      auto& may_begin = spot(at, lanes).may_begin;
      if (!may_begin.load(std::memory_order_relaxed)) may_begin.store(true, std::memory_order_relaxed);
    }
    has_left_at(at);
  }
  // Most warps leave the piece early. Another one may fit them better.
  void give_up(const PieceNode& node);
  // No piece fits the warp: another one, or null while there is none.
  const PieceNode* add(std::uint32_t at, const CodeContext& warp);

  // Of the kernel: whether one thread is faster than several (run/trial.hpp).
  bool has_been_tried() const { return tried_.load(std::memory_order_relaxed) != 0; }
  bool is_faster_alone() const { return tried_.load(std::memory_order_relaxed) == 2; }
  void set_tried(bool is_faster_alone) { tried_.store(is_faster_alone ? 2 : 1, std::memory_order_relaxed); }

  // For the thread that compiles.
  const PieceNode* make(std::uint32_t at, const CodeContext& warp);
  void give_up(std::uint32_t at, const CodeContext& warp);

 private:
  struct Spot {
    PieceList pieces;
    const Piece* newest = nullptr;
    std::atomic<std::uint32_t> visits{0};
    std::uint32_t earlier_visits = 0;  // of these, by earlier processes
    std::atomic<std::uint8_t> count{0};
    std::uint8_t given_up = 0, replaced = 0;
    std::atomic<std::uint32_t> misses{0};  // warps that fit no piece, where there may be no more
    std::atomic<bool> may_begin{false};
    bool may_begin_anew = false;  // its pieces are those of earlier processes: if none fits a warp, others are made
  };
  const PieceNode* make_one(Spot& spot, std::uint32_t at, const CodeContext& warp);
  // What earlier processes found worth having (planned.cpp), and what later ones will.
  void take_plan();
  void keep_plan(bool is_end);
  Plan plan(bool is_end) const;
  // Of a place without code: what a later process begins with.
  std::uint32_t visits_to_keep(std::size_t spot) const;
  // When the process ends, the plans of all functions are kept.
  static void remember_plan(Compiled& compiled);
  static void forget_plan(Compiled& compiled);
  static void keep_plans();
  static std::uint32_t next_number();
  // Pieces for one instruction.
  static constexpr std::uint8_t kMostPieces = 6;
  // For an instruction that cannot be compiled.
  static constexpr std::uint8_t kNever = 255;
  // Whether a further piece may be made.
  bool has_room(Spot& spot);
  bool makes_room(Spot& spot);
  bool take_out(Spot& spot, const PieceNode& node);
  // No piece of the spot fits a warp.
  bool is_worth_another(Spot& spot);
  Spot& spot(std::uint32_t at, CodeFor lanes) { return spots_[2 * at + static_cast<std::size_t>(lanes)]; }
  static CodeFor lanes_of(const CodeContext& warp);

  const Function& function_;
  std::vector<Spot> spots_;
  std::vector<std::atomic<bool>> is_end_of_code_;  // by instruction: on the way of each warp, so it is small
  std::vector<std::unique_ptr<PieceNode>> nodes_;
  // Its plan: the name, what was on disk at the start, the code of that, and what was kept last.
  const std::string key_;
  Plan taken_, kept_;
  std::unique_ptr<LinkedCode> code_of_plan_;
  std::mutex plan_mutex_;  // guards kept_ and given_up_
  std::mutex mutex_;
  std::vector<std::string> given_up_;  // the files of pieces
  std::mutex launches_;                // guards the next two
  std::vector<std::byte> params_, varied_;
  std::atomic<std::uint8_t> tried_{0};
  // One piece at a time is asked for: when it is there, most places that were on the way are no beginnings any more.
  std::atomic<bool> is_pending_{false}, was_asked_for_{false};
  std::atomic<std::size_t> piece_count_{0};
};

}  // namespace nvmlkit::ptx
