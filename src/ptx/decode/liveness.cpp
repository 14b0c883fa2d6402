#include "ptx/decode/liveness.hpp"

namespace nvmlkit::ptx {
namespace {

void set(Liveness::Bits& bits, std::size_t k) { bits[k / 64] |= std::uint64_t{1} << k % 64; }

bool ends_stretch(const Instruction& i) {
  return i.kind == Kind::branch || i.kind == Kind::branch_table || i.kind == Kind::ret || i.kind == Kind::exit ||
         i.kind == Kind::trap;
}

}  // namespace

Liveness::Liveness(const Function& function, std::span<const Mention> mentions) : mentions_(mentions) {
  find_registers();
  find_stretches(function);
  find_carried();
  carry();
}

Liveness::Bits Liveness::needed_behind(const Stretch& stretch) const {
  Bits out(carried_.size() / 64 + 1);
  for (const auto n : stretch.next)
    for (std::size_t w = 0; w < out.size(); ++w) out[w] |= stretches_[n].alive[w];
  return out;
}

void Liveness::find_registers() {
  for (const auto& m : mentions_) {
    const auto [at, is_new] = index_of_.try_emplace(m.place, static_cast<std::uint32_t>(registers_.size()));
    if (is_new) registers_.push_back({m.place, m.size});
    registers_[at->second].reach(m.at);
  }
}

void Liveness::find_stretches(const Function& function) {
  const auto& code = function.code;
  std::vector<bool> begins(code.size() + 1);
  begins[0] = true;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (!ends_stretch(code[k])) continue;
    begins[k + 1] = true;
    if (code[k].kind == Kind::branch) begins[code[k].immediate] = true;
    if (code[k].kind == Kind::branch_table)
      for (const auto target : function.tables[code[k].side]) begins[target] = true;
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
      for (const auto target : function.tables[last.side]) stretch.next.push_back(stretch_of[target]);
  }
}

// Most values are made and used in one stretch; only the others have to be followed.
void Liveness::find_carried() {
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
void Liveness::carry() {
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

}  // namespace nvmlkit::ptx
