// A function of the piece: most of its calls are where code ends or asks the interpreter, and in their place each would
// make vectors of the mask. What is there is loaded and stored again: stores with masks are slow on Zen.
#include "ptx/llvm/blended.hpp"

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "ptx/llvm/packed.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// `may_be_packed`: it has three arguments more.
llvm::Function* code_for(unsigned size, bool may_be_packed, llvm::Module& module) {
  const auto name = (may_be_packed ? "unpack_and_store_blended" : "store_blended") + std::to_string(size);
  if (auto* const known = module.getFunction(name)) return known;
  LaneBuilder b(module.getContext());
  std::vector<llvm::Type*> arguments{b.getPtrTy(), b.vector(size), b.getInt32Ty()};
  if (may_be_packed) arguments.insert(arguments.end(), 3, b.getPtrTy());
  auto* const type = llvm::FunctionType::get(b.getVoidTy(), arguments, /*isVarArg=*/false);
  auto* const code = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  code->addFnAttr(llvm::Attribute::NoUnwind);
  code->addFnAttr(llvm::Attribute::NoInline);
  code->setCallingConv(llvm::CallingConv::Fast);
  const auto block = [&](const char* of) { return llvm::BasicBlock::Create(module.getContext(), of, code); };
  b.SetInsertPoint(block("entry"));
  auto* const to = code->getArg(0);
  if (may_be_packed) {
    auto *const packed = block("packed"), *const stores = block("stores");
    auto *const mark = code->getArg(3), *const first = code->getArg(4);
    auto* const word = b.CreateAlignedLoad(b.getInt32Ty(), mark, llvm::Align(4));
    b.CreateCondBr(b.CreateICmpNE(word, b.getInt32(0)), packed, stores);
    b.SetInsertPoint(packed);
    unpack(b, code->getArg(5), {to, mark, first});
    b.CreateBr(stores);
    b.SetInsertPoint(stores);
  }
  auto* const lanes = b.predicate_of(code->getArg(2));
  auto* const before = b.CreateAlignedLoad(b.vector(size), to, llvm::Align(4));
  b.CreateAlignedStore(b.CreateSelect(lanes, code->getArg(1), before), to, llvm::Align(4));
  b.CreateRetVoid();
  return code;
}

}  // namespace

void store_blended(LaneBuilder& b, unsigned size, llvm::Value* to, llvm::Value* value, llvm::Value* mask) {
  auto* const code = code_for(size, /*may_be_packed=*/false, *b.GetInsertBlock()->getModule());
  b.CreateCall(code, {to, value, mask})->setCallingConv(llvm::CallingConv::Fast);
}

void store_blended(LaneBuilder& b, unsigned size, const PackedPlaces& to, llvm::Value* value, llvm::Value* mask,
                   llvm::Value* unpack) {
  auto* const code = code_for(size, /*may_be_packed=*/true, *b.GetInsertBlock()->getModule());
  b.CreateCall(code, {to.all, value, mask, to.mark, to.first, unpack})->setCallingConv(llvm::CallingConv::Fast);
}

}  // namespace nvmlkit::ptx::jit
