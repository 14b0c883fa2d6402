#include "ptx/llvm/weight.hpp"

#include <llvm/IR/Module.h>

#include <algorithm>

namespace nvmlkit::ptx::jit {

std::size_t weight_of(const llvm::Module& module) {
  std::size_t out = 0;
  for (const auto& function : module)
    for (const auto& block : function)
      for (const auto& instruction : block)
        out += std::max<std::size_t>(1, instruction.getType()->getPrimitiveSizeInBits().getKnownMinValue() / 256);
  return out;
}

}  // namespace nvmlkit::ptx::jit
