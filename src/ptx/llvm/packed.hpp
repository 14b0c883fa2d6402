// Marks of registers (compile/packed.hpp), as a piece reads and writes them.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "ptx/compile/packed.hpp"
#include "ptx/llvm/lanes.hpp"
#include "ptx/llvm/needs.hpp"

namespace nvmlkit::ptx::jit {

// Marks that registers have to have, or get. They are compared and stored in groups: words that code has just stored
// one by one cannot be loaded together without waiting for them.
class MarkGroups {
 public:
  static constexpr unsigned kWords = Marks::kAtOnce;

  void add(Key key, std::uint32_t mark);
  bool empty() const { return groups_.empty(); }

  // Whether all of them are as they were added.
  llvm::Value* are_right(LaneBuilder& b, llvm::Value* registers, std::uint32_t register_bytes) const;
  // Whether a register has another mark than the one that was added, and than none.
  llvm::Value* is_one_wrong(LaneBuilder& b, llvm::Value* registers, std::uint32_t register_bytes) const;
  // Whether one that was added as none has a mark.
  llvm::Value* is_one_marked(LaneBuilder& b, llvm::Value* registers, std::uint32_t register_bytes) const;
  void store(LaneBuilder& b, llvm::Value* registers, std::uint32_t register_bytes) const;

 private:
  struct Group {
    std::array<std::uint32_t, kWords> marks{}, counts{};  // all bits where one was added
    // The same of those with a mark, or of the others.
    std::array<std::uint32_t, kWords> counts_of(bool with_mark) const;
  };

  std::map<std::uint32_t, Group> groups_;  // by the number of the first
};

// Of a register, or none: of lanes of which no mark says what they have more.
std::uint32_t mark_of(Key key, const Shape& shape);

// Where the values of a register are, its mark, and with a mark the value of lane 0.
struct PackedPlaces {
  llvm::Value *all, *mark, *first;
};
PackedPlaces places_of(LaneBuilder& b, llvm::Value* registers, std::uint32_t register_bytes, Key key);

// All values of a register that has a mark, by an UnpackRegister.
void unpack(LaneBuilder& b, llvm::Value* code, const PackedPlaces& places);

// Whether a register has a mark, or the lanes of `lanes` are as `shape` says, by a function of the piece. `lane` is the
// number of the lane that the others are compared with. Without a mark, its value goes to `places.first`.
llvm::Value* holds(LaneBuilder& b, Key key, const PackedPlaces& places, const Shape& shape, llvm::Value* lanes,
                   llvm::Value* lane);

}  // namespace nvmlkit::ptx::jit
