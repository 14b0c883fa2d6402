// Which registers of a function are needed from an instruction on.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "ptx/module.hpp"

namespace nvmlkit::ptx::jit {

// A register of the frame: predicates have the size 0.
struct Key {
  std::uint32_t offset = 0;
  std::uint8_t size = 0;
  auto operator<=>(const Key&) const = default;
};

class Needs {
 public:
  explicit Needs(const Function& function);

  std::set<Key> at(std::uint32_t instruction) const;
  std::span<const Access> accesses(std::uint32_t instruction) const;
  // Begin and end of what is executed in one go, and where it goes on behind its last instruction.
  const std::map<std::uint32_t, std::uint32_t>& ranges() const { return ranges_; }
  std::vector<std::uint32_t> next_of(std::uint32_t last) const;

 private:
  void find_ranges();
  void go_back(std::uint32_t begin, std::uint32_t end, std::set<Key>& needed) const;

  const Function& function_;
  std::vector<std::uint32_t> first_access_;  // by instruction
  std::map<std::uint32_t, std::uint32_t> ranges_;
  std::map<std::uint32_t, std::set<Key>> needed_at_;  // the begin of each
};

}  // namespace nvmlkit::ptx::jit
