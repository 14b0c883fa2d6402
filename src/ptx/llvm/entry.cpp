// The start of a piece of code: loads what it needs, and checks what it takes for granted.
#include <cstddef>

#include "ptx/llvm/local.hpp"
#include "ptx/llvm/packed.hpp"
#include "ptx/llvm/translator.hpp"
#include "ptx/local_words.hpp"
#include "ptx/run/special.hpp"

namespace nvmlkit::ptx::jit {

namespace {

// Of a block or a launch. Other special registers are of a thread.
bool is_same_by_nature(std::uint32_t offset) {
  return offset >= offsetof(SpecialValues, ntid) && offset < offsetof(SpecialValues, laneid);
}

}  // namespace

llvm::Value* Translator::field(std::size_t offset, llvm::Type* type) {
  return b_->CreateLoad(type, b_->CreateConstInBoundsGEP1_64(b_->getInt8Ty(), context_, offset));
}

void Translator::put_field(std::size_t offset, llvm::Value* value) {
  b_->CreateStore(value, b_->CreateConstInBoundsGEP1_64(b_->getInt8Ty(), context_, offset));
}

llvm::Value* Translator::of_lanes(llvm::Value* vector, llvm::Value* others) {
  return acts_ ? b_->CreateSelect(acts_, vector, others) : vector;
}

llvm::Value* Translator::first_lane() {
  return b_->CreateBinaryIntrinsic(llvm::Intrinsic::cttz, acting_, b_->getTrue());
}

// Lane 0, or all lanes as a vector. What the others have that the shape does not say goes to `unlike`; `fits` becomes
// false where lane 0 is not what is known.
Lanes Translator::load_checked(llvm::Value* at, unsigned size, const Shape& shape, llvm::Value*& fits,
                               BitsOfSize& unlike) {
  auto& b = *b_;
  if (shape.is_any) return {shape, b.CreateAlignedLoad(b.vector(size), at, llvm::Align(4))};
  Lanes out{shape};
  out.value = b.CreateAlignedLoad(b.element(size), at, llvm::Align(4));
  auto* const all = b.CreateAlignedLoad(b.vector(size), at, llvm::Align(4));
  if (!all_lanes_ && shape.is_same())  // of the first lane that executes
    out.value = b.CreateExtractElement(all, first_lane());
  auto* const bits = b.CreateXor(all, b.as_vector(out));
  auto*& known = unlike[size];
  known = known ? b.CreateOr(known, bits) : bits;
  if (shape.value)
    fits = b.CreateAnd(fits, b.CreateICmpEQ(out.value, llvm::ConstantInt::get(b.element(size), *shape.value)));
  if (shape.value) out.value = llvm::ConstantInt::get(b.element(size), *shape.value);
  return out;
}

llvm::Value* Translator::are_zero(const BitsOfSize& unlike) {
  auto& b = *b_;
  llvm::Value* out = b.getTrue();
  for (const auto& [size, bits] : unlike) {
    auto* const some = b.CreateOrReduce(of_lanes(bits, llvm::Constant::getNullValue(bits->getType())));
    out = b.CreateAnd(out, b.CreateICmpEQ(some, llvm::ConstantInt::get(b.element(size), 0)));
  }
  return out;
}

// One number, which may have to be the one that is known.
llvm::Value* Translator::load_known(llvm::Value* at, unsigned size, unsigned align, const Shape& shape,
                                    llvm::Value*& fits) {
  auto& b = *b_;
  auto* const value = b.CreateAlignedLoad(b.element(size), at, llvm::Align(align));
  if (!shape.value) return value;
  auto* const known = llvm::ConstantInt::get(b.element(size), *shape.value);
  fits = b.CreateAnd(fits, b.CreateICmpEQ(value, known));
  return known;
}

void Translator::load_predicate(Key key, llvm::Value*& fits) {
  auto& b = *b_;
  auto* const at = places_of(key).all;
  const auto& shape = assumptions_.of_register(key);
  auto& lanes = values_[key];
  lanes.shape = shape;
  if (shape.is_any) {
    lanes.value = b.load_predicate(at);
    if (!all_lanes_) lanes.value = b.CreateAnd(lanes.value, executes_);
    return;
  }
  llvm::Value* mask = b.CreateLoad(b.getInt32Ty(), at);
  if (!all_lanes_) mask = b.CreateAnd(mask, lanes_);
  auto* const all = b.CreateICmpEQ(mask, all_lanes_ ? b.getInt32(kAllLanes) : lanes_);
  fits = b.CreateAnd(fits, b.CreateOr(all, b.CreateICmpEQ(mask, b.getInt32(0))));
  lanes.value = all;
}

PackedPlaces Translator::places_of(Key key) { return jit::places_of(*b_, registers_, function_.register_bytes, key); }

// Whether registers have the shapes that no mark says. `load_register` finds their values of lane 0 where a register
// with a mark has it.
llvm::Value* Translator::have_shapes(const std::set<Key>& registers) {
  auto& b = *b_;
  llvm::Value* out = b.getTrue();
  BitsOfSize unlike;
  for (const auto key : registers) {
    const auto places = places_of(key);
    const auto lanes = load_checked(places.all, key.size, assumptions_.of_register(key), out, unlike);
    b.CreateAlignedStore(lanes.value, places.first, llvm::Align(8));
  }
  return b.CreateAnd(out, are_zero(unlike));
}

// Marks are right for nearly all warps. Otherwise, registers are unpacked or looked at one by one.
void Translator::check_registers(llvm::BasicBlock* goes_on, llvm::BasicBlock* stops, llvm::Value* fits) {
  auto& b = *b_;
  const auto bytes = function_.register_bytes;
  MarkGroups marks;
  std::set<Key> looked_at, without_mark;
  for (const auto key : used_at(stretches_[0].begin)) {
    if (!Marks::may_have(key.size)) continue;
    const auto& shape = assumptions_.of_register(key);
    const auto mark = mark_of(key, shape);
    marks.add(key, mark);
    if (mark == 0) unmarked_.insert(key);
    if (shape.is_any) continue;
    looked_at.insert(key);
    if (mark == 0) without_mark.insert(key);
  }
  if (marks.empty()) {
    b.CreateCondBr(fits, goes_on, stops);
    return;
  }
  auto *const looks = new_block("looks"), *const other = new_block("other"), *const each = new_block("each");
  auto* const are_right = b.CreateAnd(fits, marks.are_right(b, registers_, bytes));
  if (without_mark.empty()) {
    b.CreateCondBr(are_right, goes_on, looks);
  } else {
    auto* const in_line = new_block("in_line");
    b.CreateCondBr(are_right, in_line, looks);
    b.SetInsertPoint(in_line);
    b.CreateCondBr(have_shapes(without_mark), goes_on, looks);
  }
  b.SetInsertPoint(looks);
  b.CreateCondBr(fits, other, stops);
  b.SetInsertPoint(other);
  auto* const not_wrong = new_block("no_mark_is_wrong");
  // A register with another mark may still be as it should in some lanes.
  auto* const wrong = all_lanes_ ? stops : new_block("packed");
  b.CreateCondBr(marks.is_one_wrong(b, registers_, bytes), wrong, not_wrong);
  if (!all_lanes_) {
    b.SetInsertPoint(wrong);
    auto* const type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty()}, /*isVarArg=*/false);
    b.CreateCall(type, field(offsetof(CodeContext, unpack), b.getPtrTy()), {registers_, b.getInt32(bytes)});
    b.CreateBr(each);
  }
  b.SetInsertPoint(not_wrong);
  auto* const marked = new_block("marked");
  b.CreateCondBr(marks.is_one_marked(b, registers_, bytes), marked, each);
  b.SetInsertPoint(marked);
  for (const auto key : unmarked_) unpack_one(key);
  b.CreateBr(each);
  b.SetInsertPoint(each);
  for (const auto key : looked_at) {
    const auto& shape = assumptions_.of_register(key);
    auto* const lane = !all_lanes_ && shape.is_same() ? b.CreateTrunc(first_lane(), b.getInt32Ty()) : b.getInt32(0);
    auto* const right = holds(b, key, places_of(key), shape, all_lanes_ ? b.getInt32(kAllLanes) : lanes_, lane);
    auto* const next = new_block("next");
    b.CreateCondBr(right, next, stops);
    b.SetInsertPoint(next);
  }
  b.CreateBr(goes_on);
}

// A register of which all values are wanted. Others keep their marks: to unpack all takes longer than most pieces.
void Translator::unpack_one(Key key) {
  auto& b = *b_;
  const auto places = places_of(key);
  auto* const mark = b.CreateAlignedLoad(b.getInt32Ty(), places.mark, llvm::Align(4));
  auto *const packed = new_block("one_packed"), *const next = new_block("next");
  b.CreateCondBr(b.CreateICmpNE(mark, b.getInt32(0)), packed, next);
  b.SetInsertPoint(packed);
  unpack(b, field(offsetof(CodeContext, unpack_register), b.getPtrTy()), places);
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

// What lanes have that do not execute may be anything. As a float, an address is a denormal number, and with one of
// these in a vector an instruction takes a hundred times as long on Intel's processors.
void Translator::find_floats() {
  for (const auto& stretch : stretches_)
    for (auto at = stretch.begin; at < stretch.end; ++at)
      if (const auto pure = pure_form(function_, needs_, at); pure && (is_float(pure->type) || is_float(pure->from)))
        for (const auto& a : pure->arguments)
          if (a.operand.area() == Operand::registers) floats_.insert({a.operand.offset(), a.size});
}

// Of a warp that fits.
void Translator::load_register(Key key) {
  auto& b = *b_;
  const auto& shape = assumptions_.of_register(key);
  if (shape.is_any) {
    llvm::Value* all = b.CreateAlignedLoad(b.vector(key.size), places_of(key).all, llvm::Align(4));
    if (!all_lanes_ && floats_.contains(key))
      all = b.CreateSelect(executes_, all, llvm::Constant::getNullValue(all->getType()));
    values_[key] = {shape, all};
    return;
  }
  // Where the value of lane 0 is with a mark. `holds` has copied that of a register without one.
  const auto places = places_of(key);
  auto* const at = Marks::may_have(key.size) ? places.first : places.all;
  values_[key] = {shape, b.CreateAlignedLoad(b.element(key.size), at, llvm::Align(4))};
}

// What all warps of a block have in common is loaded once.
llvm::Value* Translator::load_common() {
  auto& b = *b_;
  image_ = field(offsetof(CodeContext, image), b.getInt64Ty());
  shared_ = field(offsetof(CodeContext, shared), b.getInt64Ty());
  shared_bytes_ = field(offsetof(CodeContext, shared_bytes), b.getInt64Ty());
  reached_ = field(offsetof(CodeContext, reached), b.getPtrTy());
  auto* const addresses = b.CreateAlloca(b.vector(8));
  addresses->setAlignment(llvm::Align(64));
  laid_out_ = addresses;
  llvm::Value* fits = b.getTrue();
  if (assumptions_.is_whole())
    fits = b.CreateICmpNE(field(offsetof(CodeContext, is_whole), b.getInt32Ty()), b.getInt32(0));
  auto* const special = field(offsetof(CodeContext, special), b.getPtrTy());
  for (const auto& [key, shape] : assumptions_.special())
    if (is_same_by_nature(key.offset) && shape.is_same()) {
      auto* const at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), special, key.offset);
      special_[key] = {shape, load_known(at, key.size, 4, shape, fits)};
    }
  auto* const params = field(offsetof(CodeContext, params), b.getPtrTy());
  for (const auto& [key, shape] : assumptions_.params())
    params_[key] = {
        shape, load_known(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), params, key.offset), key.size, 1, shape, fits)};
  return fits;
}

void Translator::emit_entry() {
  auto& b = *b_;
  std::set<Key> of_block;
  for (const auto& [key, shape] : std::map(assumptions_.special()))
    if (assumptions_.follows_from_block(key, shape)) of_block.insert(key);
  auto* fits = load_common();
  turns_.begin = new_block("turn");
  b.CreateBr(turns_.begin);
  b.SetInsertPoint(turns_.begin);
  registers_ = field(offsetof(CodeContext, registers), b.getPtrTy());
  if (!all_lanes_) {
    lanes_ = field(offsetof(CodeContext, lanes), b.getInt32Ty());
    executes_ = b.load_predicate(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context_, offsetof(CodeContext, lanes)));
    limit_ = field(offsetof(CodeContext, limit), b.getInt32Ty());
    acting_ = lanes_;
    acts_ = executes_;
  }
  const auto used = used_at(stretches_[0].begin);
  for (const auto key : used)
    if (key.size == 0) load_predicate(key, fits);
  BitsOfSize unlike;
  auto* const special = field(offsetof(CodeContext, special), b.getPtrTy());
  for (const auto& [key, shape] : assumptions_.special()) {
    if (special_.contains(key)) continue;
    auto* const at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), special, key.offset);
    if (of_block.contains(key))
      special_[key] = {shape, b.CreateAlignedLoad(b.element(key.size), at, llvm::Align(4))};
    else
      special_[key] = load_checked(at, key.size, shape, fits, unlike);
  }
  fits = b.CreateAnd(fits, are_zero(unlike));
  auto* const goes_on = new_block("fits");
  auto* const stops = new_block("mismatch");
  check_registers(goes_on, stops, fits);
  b.SetInsertPoint(stops);
  end_with(CodeEnd::mismatch);
  b.SetInsertPoint(goes_on);
  local_ = local_memory(b, has_local_words(function_), field(offsetof(CodeContext, local), b.getInt64Ty()),
                        field(offsetof(CodeContext, local_bytes), b.getInt64Ty()));
  if (!all_lanes_) find_floats();
  for (const auto key : used)
    if (key.size > 0) load_register(key);
  loaded_ = values_;
}

}  // namespace nvmlkit::ptx::jit
