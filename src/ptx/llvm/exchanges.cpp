// Shuffles, votes, and moves between a register and its parts.
#include <numeric>
#include <utility>

#include "ptx/llvm/exchange_form.hpp"
#include "ptx/llvm/host.hpp"
#include "ptx/llvm/scattered.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// As readfirstlane does: no segments, and a lane that is the same for all.
bool all_read_one(const Exchange& exchange, const Shape& by, const Shape& limits) {
  return exchange.mode == 'i' && !exchange.d2 && by.is_same() && limits.is_same() && limits.value &&
         (*limits.value & 0x1F1F) == 31;
}

// The lane that each one reads, and whether that lane is in its segment. One that is not reads its own.
std::pair<llvm::Value*, llvm::Value*> sources_of(LaneBuilder& b, char mode, llvm::Value* by, llvm::Value* limits) {
  const auto all = [&](std::uint32_t number) { return b.CreateVectorSplat(kLanes, b.getInt32(number)); };
  std::array<std::int64_t, kLanes> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  auto* const lane = b.numbers(numbers, b.getInt32Ty());
  by = b.CreateAnd(by, all(31));
  auto* const segment = b.CreateAnd(b.CreateLShr(limits, 8), all(31));
  auto* const clamp = b.CreateAnd(limits, b.CreateAnd(b.CreateNot(segment), all(31)));
  auto* const first = b.CreateAnd(lane, segment);
  auto* const last = b.CreateOr(first, clamp);
  auto* const other = mode == 'u'   ? b.CreateSub(lane, by)
                      : mode == 'd' ? b.CreateAdd(lane, by)
                      : mode == 'b' ? b.CreateXor(lane, by)
                                    : b.CreateOr(first, b.CreateAnd(by, b.CreateNot(segment)));
  auto* const is_inside = mode == 'u' ? b.CreateICmpSGE(other, last) : b.CreateICmpSLE(other, last);
  return {b.CreateSelect(is_inside, b.CreateAnd(other, all(31)), lane), is_inside};
}

}  // namespace

std::optional<Exchange> Translator::exchange_at(std::uint32_t at) const {
  auto out = exchange_form(function_, at);
  const bool is_of_some = out && out->what == Exchange::What::active;
  return all_lanes_ || is_of_some ? out : std::nullopt;
}

// What is known of the results.
bool Translator::pass_exchange(std::uint32_t at, Shapes& shapes) {
  const auto exchange = exchange_at(at);
  if (!exchange || (exchange->set.is_there() && !shape_of_operand(exchange->set, 4, shapes).is_same())) return false;
  const auto of_result = [&]() -> Shape {
    if (exchange->what == Exchange::What::match && exchange->mode == 'o') return Shape::any();
    if (exchange->what != Exchange::What::shuffle) return Shape::same();
    const auto by = shape_of_operand(exchange->by, 4, shapes), limits = shape_of_operand(exchange->limits, 4, shapes);
    return all_read_one(*exchange, by, limits) ? Shape::same() : Shape::any();
  };
  if (exchange->d) shapes[*exchange->d] = of_result();
  if (exchange->d2) shapes[*exchange->d2] = Shape::any();
  return true;
}

llvm::Value* Translator::vote(const Exchange& exchange) {
  auto& b = *b_;
  auto* yes = b.mask_of(operand(exchange.from, 0));
  if (exchange.negated) yes = b.CreateNot(yes);
  if (exchange.mode == 'b') return yes;
  auto* const all = b.CreateICmpEQ(yes, b.getInt32(kAllLanes));
  auto* const none = b.CreateICmpEQ(yes, b.getInt32(0));
  return exchange.mode == 'a' ? all : exchange.mode == 'o' ? b.CreateNot(none) : b.CreateOr(all, none);
}

void Translator::shuffle(const Exchange& exchange) {
  auto& b = *b_;
  const auto by = operand(exchange.by, 4), limits = operand(exchange.limits, 4);
  if (all_read_one(exchange, by.shape, limits.shape)) {
    auto* const lane = b.CreateAnd(by.value, b.getInt32(31));
    auto* const all = b.as_vector(operand(exchange.from, 4));
    if (exchange.d) values_[*exchange.d] = {Shape::same(), b.CreateExtractElement(all, lane)};
    return;
  }
  const auto [source, is_inside] = sources_of(b, exchange.mode, b.as_vector(by), b.as_vector(limits));
  if (exchange.d) values_[*exchange.d] = {Shape::any(), shuffled(b.as_vector(operand(exchange.from, 4)), source)};
  if (exchange.d2) values_[*exchange.d2] = {Shape::any(), is_inside};
}

// From numbers of lanes that are known, LLVM makes few instructions.
llvm::Value* Translator::shuffled(llvm::Value* all, llvm::Value* source) {
  auto& b = *b_;
  if (const auto* const known = llvm::dyn_cast<llvm::ConstantDataVector>(source)) {
    std::vector<int> lanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) lanes.push_back(static_cast<int>(known->getElementAsInteger(lane)));
    return b.CreateShuffleVector(all, lanes);
  }
  if (llvm::isa<llvm::ConstantAggregateZero>(source)) return b.CreateShuffleVector(all, std::vector<int>(kLanes, 0));
  b.CreateAlignedStore(all, stack(0), llvm::Align(64));
  if (has_fast_gathers()) {
    auto* const offsets = b.CreateShl(source, 2);
    return gather(b, 4, b.CreatePtrToInt(stack(0), b.getInt64Ty()), offsets, nullptr);
  }
  llvm::Value* out = llvm::PoisonValue::get(b.vector(4));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto* const from = b.CreateZExt(b.CreateExtractElement(source, lane), b.getInt64Ty());
    auto* const value = b.CreateAlignedLoad(b.getInt32Ty(), of_lane_on_stack(0, b.getInt32Ty(), from), llvm::Align(4));
    out = b.CreateInsertElement(out, value, lane);
  }
  return out;
}

// Of each lane, those that have its number; or all lanes, if they have the same.
void Translator::match(const Exchange& exchange) {
  auto& b = *b_;
  auto* const all = b.as_vector(operand(exchange.from, exchange.size));
  const auto like = [&](unsigned lane) {
    return b.mask_of(
        {Shape::any(), b.CreateICmpEQ(all, b.CreateVectorSplat(kLanes, b.CreateExtractElement(all, lane)))});
  };
  if (exchange.mode == 'o') {
    llvm::Value* out = llvm::PoisonValue::get(b.vector(4));
    for (unsigned lane = 0; lane < kLanes; ++lane) out = b.CreateInsertElement(out, like(lane), lane);
    if (exchange.d) values_[*exchange.d] = {Shape::any(), out};
    return;
  }
  auto* const same = b.CreateICmpEQ(like(0), b.getInt32(kAllLanes));
  if (exchange.d) values_[*exchange.d] = {Shape::same(), b.CreateSExt(same, b.getInt32Ty())};
  if (exchange.d2) values_[*exchange.d2] = {Shape::any(), b.CreateVectorSplat(kLanes, same)};
}

llvm::Value* Translator::reduction(const Exchange& exchange) {
  auto& b = *b_;
  auto* const all = b.as_vector(operand(exchange.from, 4));
  switch (exchange.mode) {
    case '+':
      return b.CreateAddReduce(all);
    case '<':
      return b.CreateIntMinReduce(all, exchange.has_sign);
    case '>':
      return b.CreateIntMaxReduce(all, exchange.has_sign);
    case '&':
      return b.CreateAndReduce(all);
    case '|':
      return b.CreateOrReduce(all);
    default:
      return b.CreateXorReduce(all);
  }
}

bool Translator::emit_exchange(std::uint32_t at) {
  auto& b = *b_;
  const auto exchange = exchange_at(at);
  if (!exchange || (exchange->set.is_there() && !operand(exchange->set, 4).shape.is_same())) return false;
  if (exchange->what == Exchange::What::active) {
    auto* const lanes = part_ ? part_bits_ : all_lanes_ ? b.getInt32(kAllLanes) : lanes_;
    set(*exchange->d, {Shape::same(), lanes}, std::nullopt);
    return true;
  }
  if (part_) return false;
  switch (exchange->what) {
    case Exchange::What::elect:
      if (exchange->d) values_[*exchange->d] = {Shape::same(), b.getInt32(0)};
      if (exchange->d2) values_[*exchange->d2] = {Shape::any(), b.predicate_of(b.getInt32(1))};
      break;
    case Exchange::What::match:
      match(*exchange);
      break;
    case Exchange::What::reduce:
      values_[*exchange->d] = {Shape::same(), reduction(*exchange)};
      break;
    case Exchange::What::meet:
      break;
    case Exchange::What::active:  // above
      break;
    case Exchange::What::vote:
      values_[*exchange->d] = {Shape::same(), vote(*exchange)};
      break;
    case Exchange::What::shuffle:
      shuffle(*exchange);
      break;
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
