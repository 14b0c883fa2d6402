// Of blocks that cannot go on: which threads wait where.
#pragma once

#include <vector>

#include "ptx/checks.hpp"

namespace nvmlkit::ptx {

class Group;

std::vector<Waiters> waiters_of(const Group& group);

}  // namespace nvmlkit::ptx
