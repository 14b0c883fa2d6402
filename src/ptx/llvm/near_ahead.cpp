// Accesses to shared memory with nothing but arithmetic between are checked at once, before the first of them. LLVM
// keeps values in registers in code without branches only.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

// One that all lanes execute, and nobody waits for.
bool Translator::is_plain_shared(std::uint32_t at) const {
  const auto access = access_at(at);
  return access && access->space == Space::shared && access->change == Change::none && !access->is_generic &&
         !access->is_ordered && !access->of_image && !function_.code[at].guard.is_there();
}

// Adds checks for those behind the first one, as far as their addresses are known there.
void Translator::look_ahead(std::vector<NearCheck>& checks) {
  const auto is_checked = [&](const Near& near) {
    return known_near(near) != near_.end() ||
           std::ranges::any_of(checks, [&](const NearCheck& check) { return check.near.is_check_of(near); });
  };
  std::set<std::uint32_t> written;
  for (auto k = checks.front().at; k < stretch_end_; ++k) {
    const bool is_access = is_plain_shared(k);
    if (!is_access && !pure_form(function_, needs_, k)) return;
    const auto access = is_access ? access_at(k) : std::nullopt;
    if (access && !(access->base.is_there() && written.contains(access->base.offset()))) {
      const auto found = near_access(*access, k);
      if (found && !is_checked(found->near))
        checks.push_back({k, found->shape, all_near(k, found->near, found->shape)});
    }
    for (const auto& a : needs_.accesses(k))
      if (a.writes || a.replaces) written.insert(a.offset);
  }
}

// Whether all bytes of all lanes are there. A difference below zero has its sign.
llvm::Value* Translator::are_inside(const std::vector<NearCheck>& checks) {
  auto& b = *b_;
  const auto number = [&](std::int64_t n) { return b.getInt64(static_cast<std::uint64_t>(n)); };
  llvm::Value *differences = number(0), *odd = number(0);
  for (const auto& [at, shape, near] : checks) {
    auto* const base = b.CreateZExt(near.base_value, b.getInt64Ty());
    auto* const low = b.CreateAdd(base, number(near.low));
    auto* const above = b.CreateSub(b.CreateSub(shared_bytes_, number(near.high - near.low)), low);
    differences = b.CreateOr(differences, b.CreateOr(low, above));
    if (near.align > 1)
      odd = b.CreateOr(odd, b.CreateAnd(b.CreateAdd(base, b.getInt64(near.residue)), b.getInt64(near.align - 1)));
  }
  return b.CreateICmpEQ(b.CreateOr(b.CreateAnd(differences, number(INT64_MIN)), odd), number(0));
}

// Where one fails, the interpreter executes all from the first access on.
void Translator::check_all(std::vector<NearCheck>& checks) {
  auto& b = *b_;
  auto& first = checks.front();
  const auto check_one = [&](NearCheck& check) {
    check_near(check.shape, check.near, [&](std::int32_t place) {
      if (&check == &first) {
        call_interpreter(first.at, place);
        return leave_behind(*access_at(first.at), first.at);
      }
      put_field(offsetof(CodeContext, resumes), b.getInt32(check.at + 1));
      leave(first.at, first.at - stretch_begin_);
    });
  };
  if (checks.size() == 1) return check_one(first);
  auto *const each = new_block("each_access"), *const goes_on = new_block("all_near");
  b.CreateCondBr(are_inside(checks), goes_on, each, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(each);
  for (auto& check : checks) check_one(check);
  b.CreateBr(goes_on);
  b.SetInsertPoint(goes_on);
  for (auto& [at, shape, near] : checks)
    near.host = b.CreateAdd(b.CreateZExt(near.base_value, b.getInt64Ty()), near.delta);
}

// Whether a row of f64 goes on: the instruction is a load that has been checked.
bool Translator::stays_in_row(std::uint32_t at) {
  if (!row_ || !is_plain_shared(at)) return false;
  const auto access = *access_at(at);
  const auto found = near_access(access, at);
  return access.loads && found && known_near(found->near) != near_.end();
}

}  // namespace nvmlkit::ptx::jit
