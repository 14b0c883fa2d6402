// The loads of eight lanes are a function of their piece. In the place of each access, the 32 loads were more than half
// of what LLVM had to compile.
#include "ptx/llvm/scattered.hpp"

#include <llvm/IR/Module.h>

#include <string>

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

constexpr unsigned kAtOnce = 8;

class Loads {
 public:
  Loads(llvm::Module& module, unsigned size)
      : b_(module.getContext()), size_(size), out_(llvm::FixedVectorType::get(b_.element(size), kAtOnce)) {
    auto* const type =
        llvm::FunctionType::get(out_, {b_.getInt64Ty(), b_.getPtrTy(), b_.getInt32Ty()}, /*isVarArg=*/false);
    auto* const none = llvm::ConstantInt::get(b_.getInt64Ty(), 0);
    nothing_ = new llvm::GlobalVariable(module, none->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                        none, "nothing");
    code_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, name(size), module);
    code_->addFnAttr(llvm::Attribute::NoUnwind);
    code_->addFnAttr(llvm::Attribute::NoInline);
    code_->setCallingConv(llvm::CallingConv::Fast);
  }

  static std::string name(unsigned size) { return "load_scattered" + std::to_string(size); }

  llvm::Function* emit() {
    auto *const entry = block("entry"), *const some = block("some"), *const all = block("all"),
                *const part = block("part"), *const none = block("none");
    b_.SetInsertPoint(entry);
    b_.CreateCondBr(b_.CreateICmpEQ(mask(), b_.getInt32((1u << kAtOnce) - 1)), all, some);
    b_.SetInsertPoint(all);
    b_.CreateRet(lanes([&](unsigned lane) { return address(lane); }));
    b_.SetInsertPoint(some);
    b_.CreateCondBr(b_.CreateICmpEQ(mask(), b_.getInt32(0)), none, part);
    b_.SetInsertPoint(none);
    b_.CreateRet(llvm::Constant::getNullValue(out_));
    b_.SetInsertPoint(part);
    b_.CreateRet(lanes([&](unsigned lane) {
      auto* const bit = b_.CreateAnd(mask(), b_.getInt32(1u << lane));
      auto* const nothing = b_.CreatePtrToInt(nothing_, b_.getInt64Ty());
      return b_.CreateSelect(b_.CreateICmpNE(bit, b_.getInt32(0)), address(lane), nothing);
    }));
    return code_;
  }

 private:
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, code_); }
  Value* mask() { return code_->getArg(2); }

  Value* address(unsigned lane) {
    auto* const more = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), code_->getArg(1), lane);
    return b_.CreateAdd(code_->getArg(0), b_.CreateAlignedLoad(b_.getInt64Ty(), more, llvm::Align(8)));
  }

  Value* lanes(llvm::function_ref<Value*(unsigned lane)> address_of) {
    Value* out = llvm::PoisonValue::get(out_);
    for (unsigned lane = 0; lane < kAtOnce; ++lane) {
      auto* const at = b_.pointer(address_of(lane));
      out = b_.CreateInsertElement(out, b_.CreateAlignedLoad(b_.element(size_), at, llvm::Align(size_)), lane);
    }
    return out;
  }

  LaneBuilder b_;
  unsigned size_;
  llvm::FixedVectorType* out_;
  llvm::Function* code_;
  llvm::GlobalVariable* nothing_;  // a zero, for lanes that do not load
};

}  // namespace

Value* load_scattered(LaneBuilder& b, unsigned size, Value* base, Value* table, Value* mask) {
  auto& module = *b.GetInsertBlock()->getModule();
  auto* code = module.getFunction(Loads::name(size));
  if (!code) code = Loads(module, size).emit();
  Value* out = llvm::PoisonValue::get(b.vector(size));
  for (unsigned first = 0; first < kLanes; first += kAtOnce) {
    constexpr auto kAll = (1u << kAtOnce) - 1;
    auto* const own = mask ? b.CreateAnd(b.CreateLShr(mask, first), b.getInt32(kAll)) : b.getInt32(kAll);
    auto* const from = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), table, first);
    auto* const call = b.CreateCall(code, {base, from, own});
    call->setCallingConv(llvm::CallingConv::Fast);
    out = b.CreateInsertVector(b.vector(size), out, call, b.getInt64(first));
  }
  return out;
}

Value* gather(LaneBuilder& b, unsigned size, Value* base, Value* offsets, Value* acts) {
  auto* const from = b.CreateGEP(b.getInt8Ty(), b.pointer(base), offsets);
  auto* const all = acts ? acts : llvm::ConstantInt::getTrue(b.vector(0));
  return b.CreateMaskedGather(b.vector(size), from, llvm::Align(size), all,
                              llvm::Constant::getNullValue(b.vector(size)));
}

void scatter(LaneBuilder& b, Value* values, Value* base, Value* offsets, Value* acts) {
  auto* const to = b.CreateGEP(b.getInt8Ty(), b.pointer(base), offsets);
  const auto size = values->getType()->getScalarSizeInBits() / 8;
  b.CreateMaskedScatter(values, to, llvm::Align(size), acts ? acts : llvm::ConstantInt::getTrue(b.vector(0)));
}

Value* table_of(LaneBuilder& b, const Shape& shape) {
  auto& module = *b.GetInsertBlock()->getModule();
  std::vector<std::uint64_t> numbers;
  for (const auto more : shape.more) numbers.push_back(static_cast<std::uint64_t>(more));
  auto* const all = llvm::ConstantDataArray::get(b.getContext(), numbers);
  for (auto& known : module.globals())
    if (known.isConstant() && known.hasInitializer() && known.getInitializer() == all) return &known;
  return new llvm::GlobalVariable(module, all->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, all,
                                  "lanes");
}

}  // namespace nvmlkit::ptx::jit
