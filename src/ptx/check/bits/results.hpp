// Which bits of a result are unknown, where bits of its operands are.
#pragma once

#include <cstdint>

#include "ptx/generated/instructions.hpp"
#include "ptx/meaning.hpp"

namespace nvmlkit::ptx::bits {

// A value of which the bits `unknown` may be anything.
struct Value {
  std::uint64_t bits = 0, unknown = 0;

  std::uint64_t least() const { return bits & ~unknown; }
  std::uint64_t most() const { return bits | unknown; }
};

constexpr std::uint64_t low(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t of_table(std::uint32_t table, const Value& a, const Value& b, const Value& c);  // lop3
std::uint64_t of_logic(Op op, const Value& a, const Value& b);
std::uint64_t of_shift(bool is_left, bool is_signed, unsigned width, const Value& a, const Value& by);
std::uint64_t of_sum(bool subtracts, unsigned width, const Value& a, const Value& b);
std::uint64_t of_extracted(bool is_signed, unsigned width, const Value& a, const Value& start, const Value& length);
std::uint64_t of_inserted(unsigned width, const Value& a, const Value& b, const Value& start, const Value& length);
std::uint64_t of_permuted(const Value& a, const Value& b, const Value& choice);
// Of integers; `register_width` of the result is at least that of `to`.
std::uint64_t of_converted(Type to, Type from, unsigned register_width, const Value& a);
// Of two integers: whether their order is unknown.
bool of_comparison(Relation relation, Type type, Value a, Value b);

}  // namespace nvmlkit::ptx::bits
