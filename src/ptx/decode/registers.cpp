#include "ptx/decode/registers.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

namespace nvmlkit::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

void set(Bits& bits, std::size_t k) { bits[k / 64] |= std::uint64_t{1} << k % 64; }
bool has(const Bits& bits, std::size_t k) { return bits[k / 64] >> k % 64 & 1; }

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

bool ends_stretch(const Instruction& i) {
  return i.kind == Kind::branch || i.kind == Kind::branch_table || i.kind == Kind::ret || i.kind == Kind::exit ||
         i.kind == Kind::trap;
}

class Sharing {
 public:
  Sharing(Function& function, std::span<const Mention> mentions) : function_(function), mentions_(mentions) {}

  void run() {
    find_registers();
    find_stretches();
    find_carried();
    carry();
    give_places();
  }

 private:
  void find_registers();
  void find_stretches();
  void find_carried();
  void carry();
  void give_places();
  void rewrite(const std::unordered_map<std::uint32_t, std::uint32_t>& places);

  // Calls f(register, defines) for the mentions of an instruction: first what it reads.
  template <class F>
  void each_mention(const Stretch& stretch, F f) {
    auto at = std::lower_bound(mentions_.begin(), mentions_.end(), stretch.begin,
                               [](const auto& m, std::uint32_t begin) { return m.at < begin; });
    while (at != mentions_.end() && at->at < stretch.end) {
      const auto end = std::find_if(at, mentions_.end(), [&](const auto& m) { return m.at != at->at; });
      for (const bool defines : {false, true})
        for (auto m = at; m != end; ++m)
          if (m->defines == defines) f(index_of_[m->place], defines);
      at = end;
    }
  }

  Function& function_;
  std::span<const Mention> mentions_;
  std::vector<Register> registers_;
  std::unordered_map<std::uint32_t, std::uint32_t> index_of_;  // by place
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> carried_;
};

void Sharing::find_registers() {
  for (const auto& m : mentions_) {
    const auto [at, is_new] = index_of_.try_emplace(m.place, static_cast<std::uint32_t>(registers_.size()));
    if (is_new) registers_.push_back({m.place, m.size});
    registers_[at->second].reach(m.at);
  }
}

void Sharing::find_stretches() {
  const auto& code = function_.code;
  std::vector<bool> begins(code.size() + 1);
  begins[0] = true;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (!ends_stretch(code[k])) continue;
    begins[k + 1] = true;
    if (code[k].kind == Kind::branch) begins[code[k].immediate] = true;
    if (code[k].kind == Kind::branch_table)
      for (const auto target : function_.tables[code[k].side]) begins[target] = true;
  }
  std::vector<std::uint32_t> stretch_of(code.size());
  for (std::uint32_t k = 0; k < code.size(); ++k) {
    if (begins[k]) stretches_.emplace_back().begin = k;
    stretches_.back().end = k + 1;
    stretch_of[k] = static_cast<std::uint32_t>(stretches_.size() - 1);
  }
  for (std::uint32_t k = 0; k < stretches_.size(); ++k) {
    auto& stretch = stretches_[k];
    const auto& last = code[stretch.end - 1];
    if ((!ends_stretch(last) || last.guard.is_there()) && k + 1 < stretches_.size()) stretch.next.push_back(k + 1);
    if (last.kind == Kind::branch) stretch.next.push_back(stretch_of[last.immediate]);
    if (last.kind == Kind::branch_table)
      for (const auto target : function_.tables[last.side]) stretch.next.push_back(stretch_of[target]);
  }
}

// Most values are made and used in one stretch; only the others have to be followed.
void Sharing::find_carried() {
  std::vector<std::uint32_t> written_in(registers_.size());  // the number of the stretch, and 1
  for (std::uint32_t k = 0; k < stretches_.size(); ++k)
    each_mention(stretches_[k], [&](std::uint32_t r, bool defines) {
      if (defines) {
        written_in[r] = k + 1;
      } else if (written_in[r] != k + 1 && registers_[r].carried < 0) {
        registers_[r].carried = static_cast<int>(carried_.size());
        carried_.push_back(r);
      }
    });
  for (auto& stretch : stretches_) {
    stretch.reads = stretch.writes = Bits(carried_.size() / 64 + 1);
    each_mention(stretch, [&](std::uint32_t r, bool defines) {
      if (registers_[r].carried < 0) return;
      const auto c = static_cast<std::size_t>(registers_[r].carried);
      if (defines)
        set(stretch.writes, c);
      else if (!has(stretch.writes, c))
        set(stretch.reads, c);
    });
    stretch.alive = stretch.reads;
  }
}

// Where a value is needed, it is needed on all ways from where it was made.
void Sharing::carry() {
  const auto needed_behind = [&](const Stretch& stretch) {
    Bits out(carried_.size() / 64 + 1);
    for (const auto n : stretch.next)
      for (std::size_t w = 0; w < out.size(); ++w) out[w] |= stretches_[n].alive[w];
    return out;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
      const auto behind = needed_behind(*stretch);
      for (std::size_t w = 0; w < behind.size(); ++w) {
        const auto alive = stretch->reads[w] | (behind[w] & ~stretch->writes[w]);
        changes |= alive != stretch->alive[w];
        stretch->alive[w] = alive;
      }
    }
  }
  for (const auto& stretch : stretches_) {
    const auto behind = needed_behind(stretch);
    for (std::size_t c = 0; c < carried_.size(); ++c) {
      if (has(stretch.alive, c)) registers_[carried_[c]].reach(stretch.begin);
      if (has(behind, c)) registers_[carried_[c]].reach(stretch.end - 1);
    }
  }
}

void Sharing::give_places() {
  std::vector<std::uint32_t> order(registers_.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return registers_[a].first < registers_[b].first; });
  struct Held {
    std::uint32_t until, place;
    bool operator>(const Held& other) const { return until > other.until; }
  };
  std::map<std::uint32_t, std::priority_queue<Held, std::vector<Held>, std::greater<>>> held;  // by size
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  std::uint32_t end = 0;
  for (const auto k : order) {
    const auto& r = registers_[k];
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
  rewrite(places);
}

void Sharing::rewrite(const std::unordered_map<std::uint32_t, std::uint32_t>& places) {
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
  for (auto& i : function_.code)
    for (auto* operand : {&i.d, &i.d2, &i.a, &i.b, &i.c, &i.guard}) change(*operand);
  for (auto& operand : function_.operands) change(operand);
  function_.register_bytes = end;
}

}  // namespace

void share_places(Function& function, std::span<const Mention> mentions) { Sharing(function, mentions).run(); }

}  // namespace nvmlkit::ptx
