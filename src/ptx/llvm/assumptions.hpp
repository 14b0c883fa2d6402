// What a piece of code takes for granted of the warp that enters it. The code checks it first.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ptx/compile/context.hpp"
#include "ptx/llvm/needs.hpp"
#include "ptx/llvm/shape.hpp"

namespace nvmlkit::ptx::jit {

class Assumptions {
 public:
  // Of a warp as it is now. `before`: of the piece that was made last for the same place, or null.
  Assumptions(const CodeContext& warp, const Assumptions* before, Assumes assumes)
      : warp_(&warp), before_(before), takes_common_(assumes == Assumes::what_is_common) {}

  // These hold data, which differ from launch to launch.
  void set_data(std::set<Key> data) { data_ = std::move(data); }
  const Shape& of_register(Key key);
  const Shape& of_special(Key key);
  // Whether a special register has this shape in all warps of a block. That of %tid follows from the block's size,
  // which is taken for granted then.
  bool follows_from_block(Key special, const Shape& shape);
  // An integer among the parameters of the kernel.
  const Shape& of_param(Key key);
  // The instruction where other lanes of the warp wait for these.
  std::uint32_t limit() const { return warp_->limit; }
  // The least and the largest value that the warp has in a register now.
  std::pair<std::uint64_t, std::uint64_t> range_of(Key key) const;
  // That the lanes are all threads of the block, while no piece for others was needed.
  bool may_be_whole() const { return warp_->is_whole != 0 && (!before_ || before_->is_whole_); }
  void assume_whole() { is_whole_ = true; }
  bool is_whole() const { return is_whole_; }
  void forget_warp() {
    warp_ = nullptr, before_ = nullptr;
    data_.clear();
  }

  const std::map<Key, Shape>& registers() const { return registers_; }
  const std::map<Key, Shape>& special() const { return special_; }
  const std::map<Key, Shape>& params() const { return params_; }

 private:
  // What warps had in common so far.
  struct Common {
    std::map<Key, Shape> registers, special, params;
  };
  const Shape& assume(std::map<Key, Shape> Common::*kind, std::map<Key, Shape>& assumed, Key key, const Shape& now,
                      bool is_data);

  const CodeContext* warp_;
  const Assumptions* before_;
  const bool takes_common_;
  std::map<Key, Shape> registers_, special_, params_;
  Common common_;
  std::set<Key> data_;
  bool is_whole_ = false;
};

}  // namespace nvmlkit::ptx::jit
