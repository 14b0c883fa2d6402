// What is known of registers before the code runs: from the start on, until nothing new is found.
#include <cstring>

#include "ptx/compile/image.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

// Others stay as they are in the frame, and nobody looks at them.
std::set<Key> Translator::used_at(std::uint32_t at) const {
  auto out = needs_.at(at);
  std::erase_if(out, [&](Key key) { return !used_.contains(key); });
  return out;
}

void Translator::find_shapes() {
  used_.clear();
  changed_.clear();
  for (const auto& stretch : stretches_)
    for (auto at = stretch.begin; at < stretch.end + (stretch.ends_with_branch ? 1 : 0); ++at)
      for (const auto& a : needs_.accesses(at)) {
        used_.insert({a.offset, a.size});
        if (a.writes || a.replaces || a.size == 0) changed_.insert({a.offset, a.size});
      }
  shapes_.assign(stretches_.size(), {});
  partings_.clear();
  arrivals_.clear();
  std::vector<bool> reached(stretches_.size());
  for (const auto key : used_at(stretches_[0].begin)) shapes_[0][key] = assumptions_.of_register(key);
  reached[0] = true;
  std::vector<std::set<Key>> needed;
  for (const auto& stretch : stretches_) needed.push_back(used_at(stretch.begin));
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t k = 0; k < stretches_.size(); ++k) {
      if (!reached[k]) continue;
      auto shapes = shapes_[k];
      pass(stretches_[k], shapes);
      const auto join_at = [&](std::size_t to) {
        for (const auto key : needed[to]) {
          const auto own = shapes.find(key);
          const Shape now = own == shapes.end() ? Shape::any() : own->second;
          const auto [known, is_new] = shapes_[to].try_emplace(key, now);
          if (is_new) continue;
          auto both = join(known->second, now);
          if (both == known->second) continue;
          known->second = std::move(both);
          changes = true;
        }
        changes |= !reached[to];
        reached[to] = true;
      };
      for (const auto to : stretches_[k].to)
        if (to != Stretch::kOut) join_at(to);
      if (!may_part(k, shapes)) continue;
      pass_parting(k, shapes);
      join_at(partings_.at(k).meets);
    }
  }
}

void Translator::pass(const Stretch& stretch, Shapes& shapes) {
  for (auto at = stretch.begin; at < stretch.end; ++at) pass_instruction(at, shapes);
}

// What a guard leaves out keeps its value.
void Translator::pass_result(std::uint32_t at, Key key, const Shape& shape, Shapes& shapes) {
  const auto& guard = function_.code[at].guard;
  const bool is_for_all = !guard.is_there() || shape_of_operand(guard, 0, shapes).is_same();
  auto& known = shapes[key];
  if (!guard.is_there()) {
    known = shape;
    return;
  }
  known = is_for_all ? join(known, shape) : Shape::any();
  known.value.reset();
}

void Translator::pass_instruction(std::uint32_t at, Shapes& shapes) {
  if (const auto pure = pure_form(function_, needs_, at)) {
    auto shape = shape_of_pure(*pure, shapes);
    if (pure->d) pass_result(at, *pure->d, shape, shapes);
    shape.example.reset();  // of the opposite
    if (pure->d2) pass_result(at, *pure->d2, shape, shapes);
    return;
  }
  if (const auto access = access_at(at)) {
    if (access->before.is_there()) shapes[{access->before.offset(), access->register_size}] = Shape::any();
    if (!access->loads) return;
    const auto shape = shape_of_load(*access, shapes);
    for (const auto value : access->values)
      if (value.is_there()) pass_result(at, {value.offset(), access->register_size}, shape, shapes);
    return;
  }
  if (pass_parts(at, shapes) || pass_exchange(at, shapes)) return;
  for (const auto& a : needs_.accesses(at))
    if (a.writes || a.size == 0) shapes[{a.offset, a.size}] = Shape::any();
}

Shape Translator::shape_of_operand(Operand operand, std::uint8_t size, const Shapes& shapes) {
  switch (operand.area()) {
    case Operand::registers: {
      const auto at = shapes.find({operand.offset(), size});
      return at == shapes.end() ? Shape::any() : at->second;
    }
    case Operand::constants: {
      if (is_of_image(function_, operand)) return Shape::same();
      std::uint64_t value = 0;
      std::memcpy(&value, function_.constants.data() + operand.offset(), size ? size : 4);
      return Shape::constant(value);
    }
    case Operand::special:
      return assumptions_.of_special({operand.offset(), size});
    default:
      return Shape::any();
  }
}

Shape Translator::shape_of_pure(const Pure& pure, const Shapes& shapes) {
  std::vector<Shape> arguments;
  for (const auto& a : pure.arguments) arguments.push_back(shape_of_operand(a.operand, a.size, shapes));
  return shape_of(pure, arguments);
}

Shape Translator::shape_of_address(const MemoryAccess& access, const Shapes& shapes) {
  if (!access.base.is_there()) return Shape::same();
  return shape_of_operand(access.base, access.wide_address ? 8 : 4, shapes);
}

Shape Translator::shape_of_load(const MemoryAccess& access, const Shapes& shapes) {
  if (is_assumed_param(access)) return assumptions_.of_param({static_cast<std::uint32_t>(access.offset), 4});
  if (access.space == Space::kernel_param) return Shape::same();
  const auto base = shape_of_address(access, shapes);
  return shape_loaded(settled(access, base), base);
}

}  // namespace nvmlkit::ptx::jit
