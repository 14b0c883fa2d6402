// Local memory: lane after lane, or in words (local_words.hpp).
#pragma once

#include <utility>
#include <vector>

#include "ptx/llvm/access_form.hpp"
#include "ptx/llvm/lanes.hpp"
#include "ptx/llvm/place.hpp"

namespace nvmlkit::ptx::jit {

// Once for all accesses: it does not move while code runs. `bytes` are those of a lane.
LocalMemory local_memory(LaneBuilder& b, bool is_in_words, llvm::Value* begin, llvm::Value* bytes);

// Where the `size` bytes of each lane are, as `address` says.
void put_in_lanes(LaneBuilder& b, const LocalMemory& local, const Lanes& address, unsigned size, Place& place);

// The accesses to a word that one to more consists of: words of a lane do not follow each other.
std::vector<std::pair<MemoryAccess, Place>> parts_of(LaneBuilder& b, const MemoryAccess& access, const Place& place);

// At one address: of a row of words. One value for each part of a vector; lanes that do not act load something, and
// store nothing. Null means that all act.
std::vector<llvm::Value*> load_words(LaneBuilder& b, const MemoryAccess& access, const Place& place);
void store_words(LaneBuilder& b, const MemoryAccess& access, const Place& place,
                 const std::vector<llvm::Value*>& values, llvm::Value* acts);

}  // namespace nvmlkit::ptx::jit
