// The types of libcurand in our own code: enums of the header, what a generator is.
#pragma once

#include <memory>

#include "libraries/common/driver.hpp"
#include "libraries/curand/generated/types.hpp"

namespace nvmlkit::curand {

using libraries::CUstream;
using Size = std::int64_t;
using DirectionVectors32 = std::uint32_t[32];
using DirectionVectors64 = unsigned long long[64];

class Drawing;

// What a program sets. It uses a generator in one thread at a time; work in streams has its own copy.
struct Generator {
  static constexpr std::uint64_t kMark = 0x6e766d6c6b726e64;
  std::uint64_t mark = kMark;
  const libraries::Driver* driver = nullptr;  // null: numbers for memory of the host
  CUstream stream = nullptr;
  curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;
  curandOrdering_t order = CURAND_ORDERING_PSEUDO_DEFAULT;
  std::uint64_t seed = 0, offset = 0;
  bool is_sought = true;  // the offset was set, and not used yet
  std::uint32_t dimensions = 1;
  std::shared_ptr<Drawing> drawing;  // of the type, the order and the seed; null: made by the next call

  bool is_quasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
};

inline bool is_object(const Generator* g) {
  return g && reinterpret_cast<std::uintptr_t>(g) % alignof(Generator) == 0 && g->mark == Generator::kMark;
}

}  // namespace nvmlkit::curand
