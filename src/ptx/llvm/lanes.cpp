#include "ptx/llvm/lanes.hpp"

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

}  // namespace nvmlkit::ptx::jit
