// What threads bring to a barrier, and what a barrier with a reduction (`bar.red`) gives them.
#pragma once

#include <bit>
#include <cstddef>

#include "ptx/module.hpp"
#include "ptx/types.hpp"

namespace nvmlkit::ptx {

struct Votes {
  unsigned threads = 0, with_true = 0;

  Votes& operator+=(const Votes& other) {
    threads += other.threads;
    with_true += other.with_true;
    return *this;
  }
};

// Of these lanes of a warp, whose predicate has this value.
inline Votes votes_of(const Instruction& barrier, Mask lanes, Mask value) {
  const auto with_true = (barrier.flag ? ~value : value) & lanes;
  return {static_cast<unsigned>(std::popcount(lanes)), static_cast<unsigned>(std::popcount(with_true))};
}

// Into the registers of these lanes.
void put_result(const Instruction& barrier, const Votes& votes, const Function& function, std::byte* registers,
                Mask lanes);

}  // namespace nvmlkit::ptx
