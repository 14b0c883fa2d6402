// ldmatrix: rows of 16 bytes in shared memory become matrices of 8 by 8 halves in the registers of a warp.
#include <llvm/IR/MDBuilder.h>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

// Lane 8 * m + r has the address of row r of matrix m. Of that row, lane 4 * r + t gets the elements 2 * t and 2 * t
// + 1.
llvm::Value* Translator::load_matrix(const Place& rows, unsigned first, bool transposed) {
  auto& b = *b_;
  auto* const row = llvm::FixedVectorType::get(b.getInt32Ty(), 4);
  llvm::Value* all = llvm::PoisonValue::get(b.vector(4));
  for (unsigned r = 0; r < 8; ++r) {
    auto* const one = b.CreateAlignedLoad(row, host_of_lane(rows, first + r, 0), llvm::Align(4));
    all = b.CreateInsertVector(b.vector(4), all, one, b.getInt64(4 * r));
  }
  if (!transposed) return all;
  auto* const halves = b.CreateBitCast(all, llvm::FixedVectorType::get(b.getInt16Ty(), 2 * kLanes));
  std::vector<int> from;
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane)
    for (int part = 0; part < 2; ++part) from.push_back((lane % 4 * 2 + part) * 8 + lane / 4);
  return b.CreateBitCast(b.CreateShuffleVector(halves, from), b.vector(4));
}

bool Translator::emit_matrix_load(std::uint32_t at) {
  const auto& i = function_.code[at];
  if (function_.meanings[at].op != Op::ldmatrix_ || i.kind != Kind::converge || !all_lanes_ || i.guard.is_there())
    return false;
  if (i.space != Space::shared || !i.a.is_there() || i.local_base) return false;
  auto& b = *b_;
  MemoryAccess access;
  access.loads = true;
  access.space = Space::shared;
  access.type = Type::b64;
  access.values.resize(2);  // 16 bytes
  access.base = i.a;
  access.wide_address = i.wide_address;
  access.offset = i.immediate;
  const auto address = address_of(access);
  Place place;
  auto* const fits = find_place(access, address, -1, place);
  auto* const direct = new_block("rows");
  auto* const other = new_block("other");
  auto* const done = new_block("done");
  b.CreateCondBr(fits, direct, other, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(direct);
  const auto* const targets = function_.operands.data() + i.side;
  if (place.shape->is_any) lay_out(place.host);
  place.is_laid_out = place.shape->is_any;
  std::vector<llvm::Value*> loaded, left;
  for (unsigned m = 0; m < i.count; ++m) loaded.push_back(load_matrix(place, 8 * m, i.flag));
  auto* const direct_end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(other);
  call_interpreter(at, -1);
  for (unsigned m = 0; m < i.count; ++m)
    left.push_back(targets[m].is_there() ? left_in({targets[m].offset(), 4}, Shape::any()) : nullptr);
  auto* const other_end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  for (unsigned m = 0; m < i.count; ++m) {
    if (!targets[m].is_there()) continue;
    auto* const phi = b.CreatePHI(b.vector(4), 2);
    phi->addIncoming(loaded[m], direct_end);
    phi->addIncoming(left[m], other_end);
    values_[{targets[m].offset(), 4}] = {Shape::any(), phi};
  }
  return true;
}

}  // namespace nvmlkit::ptx::jit
