// Shuffles, votes, and moves between a register and its parts.
#include "ptx/llvm/exchange_form.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {

std::optional<Exchange> Translator::exchange_at(std::uint32_t at, const Shapes& shapes) {
  if (!all_lanes_) return std::nullopt;
  auto out = exchange_form(function_, at);
  if (out && out->what == Exchange::What::read_one && !shape_of_operand(out->lane, 4, shapes).is_same()) out.reset();
  return out;
}

// What is known of the results.
bool Translator::pass_exchange(std::uint32_t at, Shapes& shapes) {
  const auto exchange = exchange_at(at, shapes);
  if (!exchange) return false;
  const auto of_result = [&]() -> Shape {
    if (exchange->what == Exchange::What::active) return Shape::constant(kAllLanes);
    return exchange->what == Exchange::What::shuffle ? Shape::any() : Shape::same();
  };
  if (exchange->d) shapes[*exchange->d] = of_result();
  if (exchange->d2) shapes[*exchange->d2] = Shape::any();
  return true;
}

llvm::Value* Translator::vote(const Exchange& exchange) {
  auto& b = *b_;
  auto* yes = b.mask_of(operand(exchange.from, 0));
  if (exchange.negated) yes = b.CreateNot(yes);
  if (exchange.vote == 'b') return yes;
  auto* const all = b.CreateICmpEQ(yes, b.getInt32(kAllLanes));
  auto* const none = b.CreateICmpEQ(yes, b.getInt32(0));
  return exchange.vote == 'a' ? all : exchange.vote == 'o' ? b.CreateNot(none) : b.CreateOr(all, none);
}

bool Translator::emit_exchange(std::uint32_t at) {
  auto& b = *b_;
  Shapes now;
  for (const auto& [key, lanes] : values_) now[key] = lanes.shape;
  const auto exchange = exchange_at(at, now);
  if (!exchange) return false;
  switch (exchange->what) {
    case Exchange::What::meet:
      break;
    case Exchange::What::active:
      values_[*exchange->d] = {Shape::constant(kAllLanes), b.getInt32(kAllLanes)};
      break;
    case Exchange::What::vote:
      values_[*exchange->d] = {Shape::same(), vote(*exchange)};
      break;
    case Exchange::What::read_one: {
      auto* const lane = b.CreateAnd(operand(exchange->lane, 4).value, b.getInt32(31));
      auto* const all = b.as_vector(operand(exchange->from, 4));
      if (exchange->d) values_[*exchange->d] = {Shape::same(), b.CreateExtractElement(all, lane)};
      break;
    }
    case Exchange::What::shuffle: {
      auto* const all = b.as_vector(operand(exchange->from, 4));
      if (exchange->d) values_[*exchange->d] = {Shape::any(), b.CreateShuffleVector(all, exchange->source)};
      std::vector<llvm::Constant*> inside;
      for (const bool is_inside : exchange->is_inside) inside.push_back(b.getInt1(is_inside));
      if (exchange->d2) values_[*exchange->d2] = {Shape::any(), llvm::ConstantVector::get(inside)};
      break;
    }
  }
  return true;
}

bool Translator::pass_parts(std::uint32_t at, Shapes& shapes) {
  const auto parts = parts_form(function_, at);
  if (!parts) return false;
  const auto known = [](bool is_same) { return is_same ? Shape::same() : Shape::any(); };
  if (parts->packs) {
    bool all = true;
    for (const auto part : parts->parts) all &= shape_of_operand(part, parts->part_size, shapes).is_same();
    shapes[{parts->whole.offset(), parts->size()}] = known(all);
    return true;
  }
  const bool is_same = shape_of_operand(parts->whole, parts->size(), shapes).is_same();
  for (const auto part : parts->parts)
    if (part.is_there()) shapes[{part.offset(), parts->part_size}] = known(is_same);
  return true;
}

bool Translator::emit_parts(std::uint32_t at) {
  auto& b = *b_;
  const auto parts = parts_form(function_, at);
  if (!parts) return false;
  const auto none = std::optional<Lanes>{};
  std::vector<Lanes> from;
  if (!parts->packs) from.push_back(operand(parts->whole, parts->size()));
  for (const auto part : parts->parts)
    if (parts->packs) from.push_back(operand(part, parts->part_size));
  bool is_same = true;
  for (const auto& lanes : from) is_same &= lanes.shape.is_same();
  const auto shape = is_same ? Shape::same() : Shape::any();
  const unsigned width = 8 * parts->part_size;
  if (!parts->packs) {
    auto* const whole = b.as(from[0], shape);
    for (unsigned k = 0; k < parts->parts.size(); ++k) {
      if (!parts->parts[k].is_there()) continue;
      auto* const part = b.CreateTrunc(b.CreateLShr(whole, k * width), b.type_of(shape, parts->part_size));
      set({parts->parts[k].offset(), parts->part_size}, {shape, part}, none);
    }
    return true;
  }
  auto* const type = b.type_of(shape, parts->size());
  llvm::Value* whole = llvm::Constant::getNullValue(type);
  for (unsigned k = 0; k < from.size(); ++k)
    whole = b.CreateOr(whole, b.CreateShl(b.CreateZExt(b.as(from[k], shape), type), k * width));
  set({parts->whole.offset(), parts->size()}, {shape, whole}, none);
  return true;
}

}  // namespace nvmlkit::ptx::jit
