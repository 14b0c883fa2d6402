// Predicates that all lanes agree on: two lanes show it, before the results of 32 are looked at.
#pragma once

#include <vector>

#include "ptx/llvm/lanes.hpp"
#include "ptx/llvm/pure.hpp"

namespace nvmlkit::ptx::jit {

// Of the predicate that an instruction gives; without values where the operands do not show it. Of numbers that differ
// by known amounts, the least and the largest are compared with a number that all lanes have.
Agreement agreement_on(const Pure& pure, LaneBuilder& b, const std::vector<Lanes>& arguments);
Agreement opposite_of(const Agreement& of, LaneBuilder& b);

}  // namespace nvmlkit::ptx::jit
