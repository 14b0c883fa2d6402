// What a generator's words become: integers, uniform and normal numbers.
#pragma once

#include "libraries/curand/drawing.hpp"
#include "libraries/curand/types.hpp"

namespace nvmlkit::curand {

enum class Kind { integers, uniform, normal, lognormal, poisson };

// Copied by work in a stream.
struct Request {
  std::shared_ptr<Drawing> drawing;  // null: quasirandom
  curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW;
  std::uint64_t offset = 0;
  bool is_sought = false;  // the offset was set: sequences go there first
  std::uint32_t dimensions = 1;
  Kind kind = Kind::integers;
  double mean = 0, deviation = 1;
};

// Results that are made of the same words, and these words.
struct Group {
  int results, words;
};
template <class T>
Group group_of(curandRngType_t type, Kind kind);

// How far the offset moves.
template <class T>
std::uint64_t moved_by(const Request& request, Size count);

// T: float, double, 32-bit or 64-bit integers.
template <class T>
void fill(const Request& request, T* out, Size count);

}  // namespace nvmlkit::curand
