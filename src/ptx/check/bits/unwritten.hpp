// Bits of registers that nothing wrote: a load brought them from memory, or they were computed from such bits. What
// becomes of them decides whether the load is a finding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ptx/check/checked.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// The load that a finding is about.
struct UnwrittenLoad {
  const Instruction* at = nullptr;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  Space space = Space::global;
  std::shared_ptr<const std::vector<Place>> places{};  // in a function that another one was handed it by

  bool operator==(const UnwrittenLoad& other) const {
    return at == other.at && address == other.address && size == other.size && space == other.space;
  }
};

// Of one lane.
struct UnwrittenPart {
  std::uint64_t bits = 0;    // of a predicate, the lowest one
  bool is_computed = false;  // more became of them than a move
  bool is_value = false;     // and not a part of a struct: the load brought nothing else, or it was shifted
  UnwrittenLoad from;
};

// Of the registers of a frame, by their offset, and of its parameters, byte by byte. It is there while one of them has
// such bits. Of a register of 128 bits, each half is a part of its own.
class UnwrittenBits {
 public:
  const UnwrittenPart* find(Operand operand, unsigned lane, bool is_upper = false) const;
  void set(Operand operand, unsigned lane, const UnwrittenPart& part, bool is_upper = false);
  // Up to 8 bytes of a parameter.
  std::optional<UnwrittenPart> find_param(std::uint32_t offset, std::uint32_t size, unsigned lane) const;
  void set_param(std::uint32_t offset, std::uint32_t size, unsigned lane, const UnwrittenPart& part);

  bool empty() const { return registers_.empty() && params_.empty(); }
  void forget(unsigned lane, const UnwrittenLoad& load);

 private:
  struct Register {
    UnwrittenPart lanes[kLanes];
  };
  using Registers = std::unordered_map<std::uint32_t, Register>;
  static void set(Registers& all, std::uint32_t key, unsigned lane, const UnwrittenPart& part);
  static void forget(Registers& all, unsigned lane, const UnwrittenLoad& load);

  Registers registers_, params_;
};

// Notes what a load brings, where that is more than bytes that were written. `written` is of the bytes of the lane.
void note_loaded(Warp& w, const Instruction& i, const CheckedForm& form, unsigned lane, const UnwrittenLoad& from,
                 const std::byte* written);

// The bits of a register that a load of `size` bytes fills: the sign goes up to its end.
std::uint64_t as_loaded(const Function& function, const Instruction& i, Operand target, std::uint32_t size,
                        std::uint64_t bits);

// The load becomes a finding, and is forgotten.
void report_unwritten(Warp& w, unsigned lane, UnwrittenLoad load);

// A guard decides on which way lanes go on, and so does the index of a table or the address of a function.
void check_guard(Warp& w, const Instruction& i, Mask lanes);

// A call or a return: what bytes of the parameters of one frame are in the other one's.
void hand_on_param(const Frame& from, std::uint32_t from_offset, Frame& to, std::uint32_t to_offset, std::uint32_t size,
                   Mask lanes);

// What a function of the driver is given is used, and what it gives was written.
void check_builtin(Warp& w, const CallSite& site, Mask lanes);

// Puts the handler in front that follows these bits through an instruction.
void add_following(Instruction& out, CheckedForm& made);

}  // namespace nvmlkit::ptx
