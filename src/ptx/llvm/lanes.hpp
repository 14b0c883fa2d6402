// Values of 32 lanes in LLVM: one number and what each lane has more, or a vector.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "ptx/llvm/shape.hpp"

namespace nvmlkit::ptx::jit {

// Where `agree` is true, all lanes of a predicate have the value `all`. Null: nothing tells it.
struct Agreement {
  llvm::Value *agree = nullptr, *all = nullptr;
};

struct Lanes {
  Shape shape;
  llvm::Value* value = nullptr;  // of lane 0, or a vector
  bool is_raw = false;           // f32: what is no number has not got its form yet
  Agreement agreement = {};      // of a predicate
};

class LaneBuilder : public llvm::IRBuilder<> {
 public:
  using IRBuilder::IRBuilder;

  // Bytes of a lane; 0 for predicates.
  llvm::Type* element(unsigned size) { return size == 0 ? getInt1Ty() : getIntNTy(8 * size); }
  llvm::FixedVectorType* vector(unsigned size) { return llvm::FixedVectorType::get(element(size), kLanes); }
  llvm::Type* type_of(const Shape& shape, unsigned size) { return shape.is_any ? vector(size) : element(size); }

  llvm::Value* as_vector(const Lanes& lanes);
  // In the form of a shape that holds for it.
  llvm::Value* as(const Lanes& lanes, const Shape& shape) { return shape.is_any ? as_vector(lanes) : lanes.value; }
  llvm::Constant* numbers(const std::array<std::int64_t, kLanes>& numbers, llvm::Type* element);
  // A bit for each lane of a predicate.
  llvm::Value* mask_of(const Lanes& predicate);
  // Of a bit for each lane.
  llvm::Value* predicate_of(llvm::Value* mask);
  llvm::Value* load_predicate(llvm::Value* at);
  llvm::Value* pointer(llvm::Value* address) { return CreateIntToPtr(address, getPtrTy()); }
};

// What an atomic change takes, of one lane or of all; `wanted` is null except for a compare and exchange.
struct ChangeOperands {
  llvm::Value *by, *wanted;
};

}  // namespace nvmlkit::ptx::jit
