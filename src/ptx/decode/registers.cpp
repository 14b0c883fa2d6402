#include "ptx/decode/registers.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "ptx/decode/liveness.hpp"

namespace nvmlkit::ptx {
namespace {

// 32-bit registers that a GPU's compiler would need for the values that are needed at one time. It has the parameters
// of kernels and constants at hand where they are read, and addresses made of them alone: those count for nothing.
class Count {
 public:
  explicit Count(const Liveness& liveness)
      : liveness_(liveness), costs_(liveness.registers().size()), is_alive_(liveness.registers().size()) {
    for (std::size_t r = 0; r < costs_.size(); ++r) costs_[r] = (liveness.registers()[r].size + 3) / 4;
    spare_remade();
  }

  unsigned most() {
    for (const auto& stretch : liveness_.stretches()) go_back(stretch);
    return most_;
  }

 private:
  void spare_remade() {
    std::vector<unsigned> definitions(costs_.size());
    for (const auto& stretch : liveness_.stretches())
      liveness_.each_instruction(stretch, [&](std::span<const Mention> mentions) {
        for (const auto& m : mentions) definitions[liveness_.index_of(m)] += m.defines;
      });
    for (const auto& stretch : liveness_.stretches())
      liveness_.each_instruction(stretch, [&](std::span<const Mention> mentions) {
        const bool is_remade = std::all_of(mentions.begin(), mentions.end(), [&](const auto& m) {
          const auto r = liveness_.index_of(m);
          return m.defines ? m.remade && definitions[r] == 1 : costs_[r] == 0;
        });
        if (!is_remade) return;
        for (const auto& m : mentions)
          if (m.defines) costs_[liveness_.index_of(m)] = 0;
      });
  }

  void go_back(const Liveness::Stretch& stretch) {
    std::fill(is_alive_.begin(), is_alive_.end(), false);
    unsigned alive = 0;
    const auto revive = [&](std::uint32_t r) {
      if (!is_alive_[r]) alive += costs_[r];
      is_alive_[r] = true;
    };
    const auto behind = liveness_.needed_behind(stretch);
    for (std::size_t c = 0; c < liveness_.carried().size(); ++c)
      if (Liveness::has(behind, c)) revive(liveness_.carried()[c]);
    most_ = std::max(most_, alive);
    std::vector<std::span<const Mention>> instructions;
    liveness_.each_instruction(stretch, [&](std::span<const Mention> mentions) { instructions.push_back(mentions); });
    for (auto at = instructions.rbegin(); at != instructions.rend(); ++at) {
      for (const auto& m : *at)
        if (m.defines) revive(liveness_.index_of(m));  // an unused result also needs a place for a moment
      most_ = std::max(most_, alive);
      for (const auto& m : *at) {
        const auto r = liveness_.index_of(m);
        if (!m.defines || !is_alive_[r]) continue;
        is_alive_[r] = false;
        alive -= costs_[r];
      }
      for (const auto& m : *at)
        if (!m.defines) revive(liveness_.index_of(m));
      most_ = std::max(most_, alive);
    }
  }

  const Liveness& liveness_;
  std::vector<unsigned> costs_;
  std::vector<bool> is_alive_;
  unsigned most_ = 0;
};

void rewrite(Function& function, const std::unordered_map<std::uint32_t, std::uint32_t>& places) {
  std::uint32_t end = 0;
  for (const auto& [before, now] : places) end = std::max(end, now + 16 * kLanes);
  std::unordered_map<std::uint32_t, std::uint32_t> predicates;
  const auto change = [&](Operand& operand) {
    if (operand.area() != Operand::registers) return;
    if (const auto at = places.find(operand.offset()); at != places.end()) {
      operand = Operand::at(Operand::registers, at->second);
      return;
    }
    const auto [at, is_new] = predicates.try_emplace(operand.offset(), end);
    if (is_new) end += sizeof(Mask);
    operand = Operand::at(Operand::registers, at->second);
  };
  for (auto& i : function.code)
    for (auto* operand : {&i.d, &i.d2, &i.a, &i.b, &i.c, &i.guard}) change(*operand);
  for (auto& operand : function.operands) change(operand);
  for (auto& access : function.accesses) {
    auto operand = Operand::at(Operand::registers, access.offset);
    change(operand);
    access.offset = operand.offset();
  }
  function.register_bytes = end;
}

void give_places(Function& function, const Liveness& liveness) {
  const auto& registers = liveness.registers();
  std::vector<std::uint32_t> order(registers.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return registers[a].first < registers[b].first; });
  struct Held {
    std::uint32_t until, place;
    bool operator>(const Held& other) const { return until > other.until; }
  };
  std::map<std::uint32_t, std::priority_queue<Held, std::vector<Held>, std::greater<>>> held;  // by size
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  std::uint32_t end = 0;
  for (const auto k : order) {
    const auto& r = registers[k];
    auto& of_size = held[r.size];
    if (!of_size.empty() && of_size.top().until < r.first) {
      places[r.place] = of_size.top().place;
      of_size.pop();
    } else {
      end = (end + 63) / 64 * 64;
      places[r.place] = end;
      end += r.size * kLanes;
    }
    of_size.push({r.last, places[r.place]});
  }
  rewrite(function, places);
}

}  // namespace

void share_places(Function& function, std::span<const Mention> mentions) {
  const Liveness liveness(function, mentions);
  function.registers = Count(liveness).most();
  give_places(function, liveness);
}

}  // namespace nvmlkit::ptx
