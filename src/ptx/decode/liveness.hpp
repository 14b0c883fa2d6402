// The ranges of code in which the value of each register is needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ptx/decode/registers.hpp"

namespace nvmlkit::ptx {

class Liveness {
 public:
  using Bits = std::vector<std::uint64_t>;
  static bool has(const Bits& bits, std::size_t k) { return bits[k / 64] >> k % 64 & 1; }

  struct Register {
    std::uint32_t place = 0, size = 0;
    std::uint32_t first = ~0u, last = 0;  // instructions between which its value may be needed
    int carried = -1;                     // its number among those that one stretch of instructions hands to another

    void reach(std::uint32_t at) {
      first = std::min(first, at);
      last = std::max(last, at);
    }
  };

  // Instructions that are executed one after the other.
  struct Stretch {
    std::uint32_t begin = 0, end = 0;
    std::vector<std::uint32_t> next;  // stretches
    Bits reads, writes, alive;        // carried registers: read before they are written, written, needed at the start
  };

  Liveness(const Function& function, std::span<const Mention> mentions);

  const std::vector<Register>& registers() const { return registers_; }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  const std::vector<std::uint32_t>& carried() const { return carried_; }  // registers, by their number
  Bits needed_behind(const Stretch& stretch) const;
  std::uint32_t index_of(const Mention& mention) const { return index_of_.at(mention.place); }

  // Calls f with the mentions of each instruction of a stretch.
  template <class F>
  void each_instruction(const Stretch& stretch, F f) const {
    auto at = std::lower_bound(mentions_.begin(), mentions_.end(), stretch.begin,
                               [](const auto& m, std::uint32_t begin) { return m.at < begin; });
    while (at != mentions_.end() && at->at < stretch.end) {
      const auto end = std::find_if(at, mentions_.end(), [&](const auto& m) { return m.at != at->at; });
      f(std::span<const Mention>(at, end));
      at = end;
    }
  }

 private:
  void find_registers();
  void find_stretches(const Function& function);
  void find_carried();
  void carry();

  // Calls f(register, defines) for the mentions of an instruction: first what it reads.
  template <class F>
  void each_mention(const Stretch& stretch, F f) const {
    each_instruction(stretch, [&](std::span<const Mention> mentions) {
      for (const bool defines : {false, true})
        for (const auto& m : mentions)
          if (m.defines == defines) f(index_of(m), defines);
    });
  }

  std::span<const Mention> mentions_;
  std::vector<Register> registers_;
  std::unordered_map<std::uint32_t, std::uint32_t> index_of_;  // by place
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> carried_;
};

}  // namespace nvmlkit::ptx
