// The start of a piece of code: loads what it needs, and checks what it takes for granted.
#include <cstddef>

#include "ptx/llvm/translator.hpp"
#include "ptx/run/special.hpp"

namespace nvmlkit::ptx::jit {

namespace {

// Of a block or a launch. Other special registers are of a thread.
bool is_same_by_nature(std::uint32_t offset) {
  return offset >= offsetof(SpecialValues, ntid) && offset < offsetof(SpecialValues, laneid);
}

}  // namespace

llvm::Value* Translator::field(std::size_t offset, llvm::Type* type) {
  return b_->CreateLoad(type, b_->CreateConstInBoundsGEP1_64(b_->getInt8Ty(), context_, offset));
}

llvm::Value* Translator::of_lanes(llvm::Value* vector, llvm::Value* others) {
  return acts_ ? b_->CreateSelect(acts_, vector, others) : vector;
}

llvm::Value* Translator::first_lane() {
  return b_->CreateBinaryIntrinsic(llvm::Intrinsic::cttz, acting_, b_->getTrue());
}

// Lane 0, or all lanes as a vector. What the others have that the shape does not say goes to `differs_`; `fits` becomes
// false where lane 0 is not what is known.
llvm::Value* Translator::load_checked(llvm::Value* at, unsigned size, const Shape& shape, llvm::Value*& fits,
                                      Lanes& out) {
  auto& b = *b_;
  out.shape = shape;
  if (shape.is_any) return out.value = b.CreateAlignedLoad(b.vector(size), at, llvm::Align(4));
  out.value = b.CreateAlignedLoad(b.element(size), at, llvm::Align(4));
  auto* const all = b.CreateAlignedLoad(b.vector(size), at, llvm::Align(4));
  if (!all_lanes_ && shape.is_same())  // of the first lane that executes
    out.value = b.CreateExtractElement(all, first_lane());
  auto* const unlike = b.CreateXor(all, b.as_vector(out));
  auto*& differs = differs_[size];
  differs = differs ? b.CreateOr(differs, unlike) : unlike;
  if (shape.value)
    fits = b.CreateAnd(fits, b.CreateICmpEQ(out.value, llvm::ConstantInt::get(b.element(size), *shape.value)));
  if (shape.value) out.value = llvm::ConstantInt::get(b.element(size), *shape.value);
  return out.value;
}

void Translator::load_register(Key key, llvm::Value*& fits) {
  auto& b = *b_;
  auto* const at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registers_, key.offset);
  const auto& shape = assumptions_.of_register(key);
  auto& lanes = values_[key];
  lanes.shape = shape;
  if (key.size > 0) {
    load_checked(at, key.size, shape, fits, lanes);
    return;
  }
  if (shape.is_any) {
    lanes.value = b.load_predicate(at);
    if (!all_lanes_) lanes.value = b.CreateAnd(lanes.value, executes_);
    return;
  }
  llvm::Value* mask = b.CreateLoad(b.getInt32Ty(), at);
  if (!all_lanes_) mask = b.CreateAnd(mask, lanes_);
  auto* const all = b.CreateICmpEQ(mask, all_lanes_ ? b.getInt32(kAllLanes) : lanes_);
  fits = b.CreateAnd(fits, b.CreateOr(all, b.CreateICmpEQ(mask, b.getInt32(0))));
  lanes.value = all;
}

void Translator::emit_entry() {
  auto& b = *b_;
  registers_ = field(offsetof(CodeContext, registers), b.getPtrTy());
  image_ = field(offsetof(CodeContext, image), b.getInt64Ty());
  shared_ = field(offsetof(CodeContext, shared), b.getInt64Ty());
  shared_bytes_ = field(offsetof(CodeContext, shared_bytes), b.getInt64Ty());
  reached_ = field(offsetof(CodeContext, reached), b.getPtrTy());
  auto* const addresses = b.CreateAlloca(b.vector(8));
  addresses->setAlignment(llvm::Align(64));
  laid_out_ = addresses;
  if (!all_lanes_) {
    lanes_ = field(offsetof(CodeContext, lanes), b.getInt32Ty());
    executes_ = b.load_predicate(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context_, offsetof(CodeContext, lanes)));
    limit_ = field(offsetof(CodeContext, limit), b.getInt32Ty());
    acting_ = lanes_;
    acts_ = executes_;
  }
  auto* const special = field(offsetof(CodeContext, special), b.getPtrTy());
  auto* const params = field(offsetof(CodeContext, params), b.getPtrTy());
  llvm::Value* fits = b.getTrue();
  if (assumptions_.is_whole())
    fits = b.CreateICmpNE(field(offsetof(CodeContext, is_whole), b.getInt32Ty()), b.getInt32(0));
  for (const auto key : used_at(stretches_[0].begin)) load_register(key, fits);
  loaded_ = values_;
  for (const auto& [key, shape] : assumptions_.special()) {
    auto* const at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), special, key.offset);
    if (!is_same_by_nature(key.offset) || !shape.is_same()) {
      load_checked(at, key.size, shape, fits, special_[key]);
      continue;
    }
    auto* const value = b.CreateAlignedLoad(b.element(key.size), at, llvm::Align(4));
    special_[key] = {shape, value};
    if (!shape.value) continue;
    auto* const known = llvm::ConstantInt::get(b.element(key.size), *shape.value);
    fits = b.CreateAnd(fits, b.CreateICmpEQ(value, known));
    special_[key].value = known;
  }
  for (const auto& [key, shape] : assumptions_.params()) {
    auto& lanes = params_[key];
    lanes.shape = shape;
    lanes.value = b.CreateAlignedLoad(b.element(key.size),
                                      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), params, key.offset), llvm::Align(1));
    if (!shape.value) continue;
    auto* const known = llvm::ConstantInt::get(b.element(key.size), *shape.value);
    fits = b.CreateAnd(fits, b.CreateICmpEQ(lanes.value, known));
    lanes.value = known;
  }
  for (const auto& [size, differs] : differs_) {
    auto* const some = b.CreateOrReduce(of_lanes(differs, llvm::Constant::getNullValue(differs->getType())));
    fits = b.CreateAnd(fits, b.CreateICmpEQ(some, llvm::ConstantInt::get(b.element(size), 0)));
  }
  auto* const goes_on = new_block("fits");
  auto* const stops = new_block("mismatch");
  b.CreateCondBr(fits, goes_on, stops);
  b.SetInsertPoint(stops);
  end_with(CodeEnd::mismatch);
  b.SetInsertPoint(goes_on);
}

}  // namespace nvmlkit::ptx::jit
