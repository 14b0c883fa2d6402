// What becomes of bits that nothing wrote in one instruction. Moves, masks and shifts hand them on, sums and
// comparisons are exact, and other results are unknown as a whole.
#pragma once

#include <cstring>
#include <span>

#include "ptx/check/bits/results.hpp"
#include "ptx/check/bits/unwritten.hpp"

namespace nvmlkit::ptx {

// One instruction and one lane, for the bits of its registers that nothing wrote.
class Follower {
 public:
  Follower(Warp& w, const Instruction& i, unsigned lane);

  const Meaning& meaning() const { return function_.meanings[number_]; }

  // The first register that it reads with such bits, other than the guard.
  const UnwrittenPart* first_read() const;
  const UnwrittenPart* find(Operand operand, bool is_upper = false) const {
    return known_.find(operand, lane_, is_upper);
  }

  // `unknown` for what it writes; sources of more than one load count for the first one.
  void set(Operand target, std::uint64_t unknown, bool is_computed);
  void set_all(bool is_unknown) { set_all_from(is_unknown ? first_read() : nullptr); }
  // By bits that may be of another lane; null: it writes known ones. Of a register, only `which` are unknown.
  void set_all_from(const UnwrittenPart* source, std::uint64_t which = ~std::uint64_t{0});

  bits::Value value(Operand operand, unsigned size) const;
  bits::Value predicate(Operand operand, bool is_negated) const;
  bool has_computed() const;
  unsigned size_of_result() const;  // 0: none, or a predicate

  // False: the result is unknown as a whole.
  bool follow_bits();

 private:
  bool follow_parts();
  bool follow_wide_parts();
  void move_wide();
  const UnwrittenPart* read_at(const Access& access) const;
  bool follow_predicates();
  bool follow_comparison(unsigned size);
  bool follow_numbers(unsigned size);
  bool follow_fields(unsigned size);
  bool moved(std::uint64_t unknown) {
    set(i_.d, unknown, has_computed());
    return true;
  }
  bool computed(std::uint64_t unknown) {
    set(i_.d, unknown, true);
    return true;
  }

  Warp& w_;
  const Instruction& i_;
  const Function& function_;
  UnwrittenBits& known_;
  unsigned lane_;
  std::uint32_t number_ = 0;
  std::span<const Access> accesses_;
};

}  // namespace nvmlkit::ptx
