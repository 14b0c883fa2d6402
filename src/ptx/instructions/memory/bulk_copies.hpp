// Common parts of bulk copies: destination, reduction, and the barrier that counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/decode/form.hpp"
#include "ptx/run/warp.hpp"

namespace nvmlkit::ptx {

// What becomes of the bytes that are there. `copy`: they are replaced.
enum class Reduction : std::uint8_t { copy, add, min, max, inc, dec, all, any, odd };

Reduction reduction_of(const Form& form);
// Is there such a thing for a type?
bool may_reduce(Reduction how, Type type);
// Changes `size` bytes, element after element, each at once for other threads of the host.
void reduce(Reduction how, Type type, std::byte* into, const std::byte* from, std::size_t size);

// Tells the barrier at an address of shared memory that so many bytes have come. False: a fault.
bool complete(Warp& warp, const Instruction& i, std::uint64_t barrier, std::uint32_t bytes, unsigned lane);

// Registers with addresses and numbers in Function::operands; `detail` has a bit for each that is 64 bits wide.
class OperandList {
 public:
  explicit OperandList(Form& form) : form_(form) {}
  // A register with an address, without offset.
  void address(const Term& term);
  void value(const Term& term, Type type) { operands_.push_back(form_.source(term, type)); }
  void nothing() { operands_.emplace_back(); }
  std::size_t size() const { return operands_.size(); }
  void store();

 private:
  Form& form_;
  std::vector<Operand> operands_;
  unsigned wide_ = 0;
};

// The value of an operand of such a list.
std::uint64_t number_at(const Warp& warp, const Instruction& i, unsigned index, unsigned lane);
bool has_operand(const Warp& warp, const Instruction& i, unsigned index);

}  // namespace nvmlkit::ptx
