// A function of the piece: most of its calls are where code ends or asks the interpreter, and in their place each would
// make vectors of the mask. What is there is loaded and stored again: stores with masks are slow on Zen.
#include "ptx/llvm/blended.hpp"

#include <llvm/IR/Module.h>

#include <string>

namespace nvmlkit::ptx::jit {
namespace {

llvm::Function* code_for(unsigned size, llvm::Module& module) {
  const auto name = "store_blended" + std::to_string(size);
  if (auto* const known = module.getFunction(name)) return known;
  LaneBuilder b(module.getContext());
  auto* const type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.vector(size), b.getInt32Ty()},
                                             /*isVarArg=*/false);
  auto* const code = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  code->addFnAttr(llvm::Attribute::NoUnwind);
  code->addFnAttr(llvm::Attribute::NoInline);
  code->setCallingConv(llvm::CallingConv::Fast);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", code));
  auto* const to = code->getArg(0);
  auto* const lanes = b.predicate_of(code->getArg(2));
  auto* const before = b.CreateAlignedLoad(b.vector(size), to, llvm::Align(4));
  b.CreateAlignedStore(b.CreateSelect(lanes, code->getArg(1), before), to, llvm::Align(4));
  b.CreateRetVoid();
  return code;
}

}  // namespace

void store_blended(LaneBuilder& b, unsigned size, llvm::Value* to, llvm::Value* value, llvm::Value* mask) {
  auto* const code = code_for(size, *b.GetInsertBlock()->getModule());
  b.CreateCall(code, {to, value, mask})->setCallingConv(llvm::CallingConv::Fast);
}

}  // namespace nvmlkit::ptx::jit
