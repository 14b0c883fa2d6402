// Which registers may hold data: what comes from memory, or from a branch that data decide. All others follow from the
// parameters and from the place of the thread, and are the same in each run.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ptx/llvm/needs.hpp"

namespace nvmlkit::ptx::jit {

class Data {
 public:
  Data(const Function& function, const Needs& needs);

  // Before the instruction.
  std::set<Key> at(std::uint32_t instruction) const;

 private:
  using Bits = std::vector<bool>;
  void find_ends();
  std::size_t meeting_of(std::size_t range) const;
  std::set<Key> written_between(std::size_t range, std::size_t meeting) const;
  bool gives_data(std::uint32_t at, bool takes_data) const;
  void pass(std::uint32_t begin, std::uint32_t end, std::set<Key>& data) const;
  std::vector<std::size_t> next_of(std::size_t range) const;
  bool add_from(std::size_t range);

  const Function& function_;
  const Needs& needs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;
  std::map<std::uint32_t, std::size_t> number_of_;  // of a range, by its begin
  std::vector<Bits> ends_;                          // of each range, those that all ways from it come to
  std::vector<std::set<Key>> data_;                 // at the begin of each
  // Behind a range that ends with a branch: where its ways meet, and what is written before.
  struct Joined {
    std::size_t meeting;
    std::set<Key> written;
  };
  std::map<std::size_t, Joined> joined_;
};

}  // namespace nvmlkit::ptx::jit
