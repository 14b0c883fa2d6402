// Stretches whose code has begun, and the ways that lead to them.
#pragma once

#include <map>
#include <vector>

#include "ptx/llvm/lanes.hpp"
#include "ptx/llvm/needs.hpp"

namespace nvmlkit::ptx::jit {

using Values = std::map<Key, Lanes>;

struct Incoming {
  llvm::BasicBlock* from = nullptr;
  llvm::Value *executed = nullptr, *lanes = nullptr;
  std::map<Key, llvm::Value*> values;
};

struct Begun {
  llvm::BasicBlock* block = nullptr;
  std::map<Key, llvm::PHINode*> phis;
  llvm::PHINode *executed = nullptr, *lanes = nullptr;
  std::vector<Incoming> incoming;
  Values values;  // where no values meet
  llvm::Value *executed_before = nullptr, *lanes_before = nullptr;
};

}  // namespace nvmlkit::ptx::jit
