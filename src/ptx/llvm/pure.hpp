// Instructions whose result depends on the values of their operands alone.
#pragma once

#include <optional>
#include <vector>

#include "ptx/llvm/needs.hpp"
#include "ptx/llvm/shape.hpp"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace nvmlkit::ptx::jit {

struct Argument {
  Operand operand;
  std::uint8_t size;  // 0: a predicate
  bool negated = false;
};

// What it computes: one of `a`, the arguments, for each lane.
enum class Rule : std::uint8_t {
  copy,
  number,
  window,
  add,
  sub,
  mul,
  mul_wide,
  mad,
  mad_wide,
  least,
  greatest,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,
  negate,
  absolute,
  select,
  compare,
  set,  // a number where a comparison holds, else 0
  convert,
  pack_halves,
  logic3,
  high,
  funnel,
  permute,
  insert,
  extract,
  permute_by,  // bytes, or a field, that registers name
  insert_by,
  extract_by,
  field,  // ones in a field that registers name
  remainder,
  count_ones,
  leading_zeros,
  highest_bit,
  reverse,
  with_difference,  // a sum of c and what a and b differ by
  product_of_24,    // of the lowest 24 bits
  dot,
  with_sign,
  fused,
  divide,
  reciprocal,
  root,
  reciprocal_root,
  power_of_two,
  sine,
  cosine,
  logarithm,
  hyperbolic_tangent,
};

struct Pure {
  Rule rule = Rule::copy;
  Type type = Type::none, from = Type::none;
  Relation relation = Relation::none;
  char combined = 0;                      // with the last argument, a predicate
  Rounding rounding = Rounding::nearest;  // of f32, or of a conversion to whole numbers
  bool to_integer = false;
  bool flushes = false;                     // small operands and results of f32
  bool saturates = false;                   // to the ends of a type, or of floats to 0 and 1
  bool is_relu = false, keeps_nan = false;  // of halves
  bool of_frame = false;                    // the number is relative to the local memory of the frame,
  bool of_image = false;                    // or to the variables of the module
  // Of lop3 the table, of prmt the bytes, of a field its start and length, of an address its window, or 0 without it,
  // of bfind whether it is a distance, of a dot product its Dot.
  std::uint64_t number = 0;
  std::vector<Argument> arguments;
  std::optional<Key> d, d2;  // d2: the opposite of a comparison
};

// What a dot product multiplies.
struct Dot {
  static constexpr std::uint64_t kSignedA = 1, kSignedB = 2, kUpperBytes = 4, kWords = 8;
};

// Nothing for an instruction that is none, or that the interpreter executes.
std::optional<Pure> pure_form(const Function& function, const Needs& needs, std::uint32_t at);

// Of f32: whether a result that is no number has to get its form, and whether an operand need not have it.
bool gives_raw(const Pure& pure);
bool takes_raw(const Pure& pure);
// Of f64: the first of these that is none.
llvm::Value* no_number_of(llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& in_order);

// The shape of the result.
Shape shape_of(const Pure& pure, const std::vector<Shape>& arguments);
// A 32-bit pattern that becomes one of 64 bits is that only while no lane goes beyond the ends of its type.
bool may_wrap(const Pure& pure, const Shape& result);

// Of single values or of vectors.
llvm::Value* emit_conversion(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& from);
llvm::Value* emit_function(const Pure& pure, llvm::IRBuilderBase& b, llvm::Value* of);
llvm::Value* emit_division(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& a);
llvm::Value* emit_bits(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& arguments);
llvm::Value* emit(const Pure& pure, llvm::IRBuilderBase& b, const std::vector<llvm::Value*>& arguments);

}  // namespace nvmlkit::ptx::jit
