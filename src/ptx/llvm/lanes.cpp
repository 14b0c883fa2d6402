#include "ptx/llvm/lanes.hpp"

#include "ptx/llvm/host.hpp"

namespace nvmlkit::ptx::jit {

llvm::Constant* LaneBuilder::numbers(const std::array<std::int64_t, kLanes>& numbers, llvm::Type* element) {
  std::vector<llvm::Constant*> out;
  for (const auto n : numbers) out.push_back(llvm::ConstantInt::get(element, static_cast<std::uint64_t>(n), true));
  return llvm::ConstantVector::get(out);
}

llvm::Value* LaneBuilder::as_vector(const Lanes& lanes) {
  if (lanes.shape.is_any) return lanes.value;
  auto* const all = CreateVectorSplat(kLanes, lanes.value);
  return lanes.shape.is_same() ? all : CreateAdd(all, numbers(lanes.shape.more, lanes.value->getType()));
}

llvm::Value* LaneBuilder::mask_of(const Lanes& predicate) {
  if (predicate.shape.is_any) return CreateBitCast(predicate.value, getInt32Ty());
  return CreateSExt(predicate.value, getInt32Ty());
}

// Where it has to be made of words: the byte with the bit of the lane, and of it this bit.
llvm::Value* LaneBuilder::predicate_of(llvm::Value* mask) {
  if (has_vectors_of_bits()) return CreateBitCast(mask, vector(0));
  constexpr unsigned kBits = 8;
  std::vector<int> from;
  std::array<std::int64_t, kLanes> bits{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    from.push_back(static_cast<int>(lane / kBits));
    bits[lane] = std::int64_t{1} << lane % kBits;
  }
  auto* const bytes = CreateBitCast(mask, llvm::FixedVectorType::get(getInt8Ty(), kLanes / kBits));
  auto* const own = CreateAnd(CreateShuffleVector(bytes, from), numbers(bits, getInt8Ty()));
  return CreateICmpNE(own, llvm::Constant::getNullValue(own->getType()));
}

// As a vector from the start: LLVM 19 never ends with an exclusive or of two numbers that were made vectors of bits
// (AVX-512, where a bit has its own registers).
llvm::Value* LaneBuilder::load_predicate(llvm::Value* at) {
  if (has_vectors_of_bits()) return CreateAlignedLoad(vector(0), at, llvm::Align(4));
  return predicate_of(CreateAlignedLoad(getInt32Ty(), at, llvm::Align(4)));
}

}  // namespace nvmlkit::ptx::jit
