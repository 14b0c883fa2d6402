// What is known of the lanes of a result may hold only for some values of its operands: code looks at those of lane 0.
#include <limits>

#include "ptx/llvm/extremes.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

void Translator::check_shape(const Pure& pure, const std::vector<Shape>& shapes, const std::vector<Lanes>& arguments,
                             std::uint32_t at) {
  auto& b = *b_;
  const auto extreme = extreme_of(pure, shapes);
  if (!extreme && !may_wrap(pure, shape_of(pure, shapes))) return;
  end_row(at);
  auto* const fits = extreme ? is_as_expected(pure, *extreme, arguments) : is_in_range(pure, arguments);
  auto *const goes_on = new_block("as_expected"), *const stops = new_block("otherwise");
  b.CreateCondBr(fits, goes_on, stops);
  b.SetInsertPoint(stops);
  if (extreme && at == start_) {  // another piece may fit
    auto *const begins = new_block("begins"), *const leaves = new_block("leaves");
    b.CreateCondBr(b.CreateICmpEQ(executed_, b.getInt64(0)), begins, leaves);
    b.SetInsertPoint(begins);
    end_with(CodeEnd::mismatch);
    b.SetInsertPoint(leaves);
  }
  // Warps for which it is otherwise get code that begins here.
  if (extreme) put_field(offsetof(CodeContext, resumes), b.getInt32(at));
  leave(at, at - stretch_begin_);
  b.SetInsertPoint(goes_on);
}

// Whether no lane goes beyond the ends of its type, of 32 bits.
llvm::Value* Translator::is_inside(const Lanes& numbers, bool has_sign) {
  auto& b = *b_;
  auto* const first =
      has_sign ? b.CreateSExt(numbers.value, b.getInt64Ty()) : b.CreateZExt(numbers.value, b.getInt64Ty());
  const auto inside = [&](std::int64_t more) {
    auto* const v = b.CreateAdd(first, b.getInt64(static_cast<std::uint64_t>(more)));
    auto* const low = b.getInt64(static_cast<std::uint64_t>(has_sign ? INT32_MIN : std::int64_t{0}));
    auto* const high = b.getInt64(has_sign ? INT32_MAX : UINT32_MAX);
    return b.CreateAnd(b.CreateICmpSGE(v, low), b.CreateICmpSLE(v, high));
  };
  return b.CreateAnd(inside(numbers.shape.least()), inside(numbers.shape.most()));
}

// A row of 32-bit numbers that becomes one of 64 bits.
llvm::Value* Translator::is_in_range(const Pure& pure, const std::vector<Lanes>& arguments) {
  auto& b = *b_;
  const auto from = pure.rule == Rule::convert ? pure.from : pure.type;
  const auto factors = pure.rule == Rule::convert ? std::size_t{1} : std::size_t{2};
  llvm::Value* fits = b.getTrue();
  for (std::size_t k = 0; k < factors; ++k) {
    const auto& lanes = arguments[k];
    if (lanes.shape.is_same() || lanes.value->getType()->getIntegerBitWidth() != 32) continue;
    fits = b.CreateAnd(fits, is_inside(lanes, is_signed(from)));
  }
  return fits;
}

llvm::Value* Translator::is_as_expected(const Pure& pure, const Extreme& extreme, const std::vector<Lanes>& arguments) {
  using Limits = std::numeric_limits<std::int64_t>;
  auto& b = *b_;
  const bool has_sign = is_signed(pure.type);
  const auto first_of = [&](const Lanes& lanes) {
    return has_sign ? b.CreateSExt(lanes.value, b.getInt64Ty()) : b.CreateZExt(lanes.value, b.getInt64Ty());
  };
  llvm::Value* fits = b.getTrue();
  for (std::size_t k = 0; k < 2; ++k)
    if (!arguments[k].shape.is_same()) fits = b.CreateAnd(fits, is_inside(arguments[k], has_sign));
  auto* const by = b.CreateSub(first_of(arguments[0]), first_of(arguments[1]));
  const auto number = [&](std::int64_t n) { return b.getInt64(static_cast<std::uint64_t>(n)); };
  if (extreme.least != Limits::min()) fits = b.CreateAnd(fits, b.CreateICmpSGE(by, number(extreme.least)));
  if (extreme.most != Limits::max()) fits = b.CreateAnd(fits, b.CreateICmpSLE(by, number(extreme.most)));
  return fits;
}

}  // namespace nvmlkit::ptx::jit
