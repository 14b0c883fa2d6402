// Loads and stores with a guard: around what all lanes would do stands a branch for a warp without any that does.
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

void Translator::emit_guarded(const MemoryAccess& access, std::uint32_t at) {
  auto& b = *b_;
  const auto guard = *guard_of(at);
  const bool is_for_some = guard.shape.is_any || part_;
  llvm::Value *mask = nullptr, *acts = nullptr, *any = guard.value;
  if (is_for_some) {
    acts = b.as_vector(guard);
    if (acts_) acts = b.CreateSelect(acts_, acts, llvm::Constant::getNullValue(acts->getType()));
    mask = b.mask_of({Shape::any(), acts});
    any = b.CreateICmpNE(mask, b.getInt32(0));
  }
  // What the registers have if nothing is loaded.
  const auto targets = targets_of(access);
  const auto loaded = shape_loaded(access, shape_of_base(access));
  struct Target {
    Key key;
    Lanes before;  // in the form of the result
  };
  std::vector<Target> results;
  for (const auto target : targets) {
    if (!target.is_there()) continue;
    const auto before = operand(target, access.register_size);
    auto shape = is_for_some ? Shape::any() : join(before.shape, loaded);
    shape.value.reset();
    results.push_back({{target.offset(), access.register_size}, {shape, b.as(before, shape)}});
  }
  auto* const from = b.GetInsertBlock();
  auto* const reaches = new_block("guarded");
  auto* const done = new_block("passes");
  b.CreateCondBr(any, reaches, done);
  b.SetInsertPoint(reaches);
  const auto checked = near_;
  auto *const before_acting = acting_, *const before_acts = acts_;
  if (is_for_some) acting_ = mask, acts_ = acts;
  emit_all(access, at);
  acting_ = before_acting, acts_ = before_acts;
  near_ = checked;  // checks in here are for here only
  std::vector<llvm::Value*> values;
  for (const auto& [key, before] : results) {
    auto* value = b.as(values_.at(key), before.shape);
    if (is_for_some) value = b.CreateSelect(acts, value, before.value);
    values.push_back(value);
  }
  auto* const end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto& before = results[k].before;
    auto* const phi = b.CreatePHI(before.value->getType(), 2);
    phi->addIncoming(before.value, from);
    phi->addIncoming(values[k], end);
    values_[results[k].key] = {before.shape, phi};
  }
}

}  // namespace nvmlkit::ptx::jit
