// Products of matrices whose elements lie in the registers of a warp: for each register of the sum and each step along
// k, one fused multiplication of 32 lanes. The elements come by shuffles. All is computed in doubles, one step after
// the other, as the interpreter does.
#include <llvm/IR/Module.h>

#include <array>
#include <string>

#include "ptx/instructions/matrices/tensor_product.hpp"
#include "ptx/llvm/halves.hpp"
#include "ptx/llvm/host.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

using llvm::Value;

bool is_known(Type t) {
  switch (t) {
    case Type::f16:
      return converts_halves();
    case Type::bf16:
    case Type::tf32:
    case Type::f32:
    case Type::f64:
    case Type::s8:
    case Type::u8:
    case Type::s32:
      return true;
    default:
      return false;
  }
}

// Where an element lies.
struct Home {
  unsigned lane = 0, slot = 0;
};

class Homes {
 public:
  explicit Homes(const Tile& tile) : columns_(tile.columns), homes_(std::size_t{tile.rows} * tile.columns) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned slot = 0; slot < tile.rows * tile.columns / kLanes; ++slot) {
        const auto place = tile.place(lane, slot);
        homes_[std::size_t{place.row} * columns_ + place.column] = {lane, slot};
      }
  }
  const Home& of(unsigned row, unsigned column) const { return homes_[std::size_t{row} * columns_ + column]; }

 private:
  unsigned columns_;
  std::vector<Home> homes_;
};

// Makes the doubles of a tile from its registers, or registers from doubles.
class Elements {
 public:
  Elements(LaneBuilder& b, const Tile& tile) : b_(b), tile_(tile) {}

  std::vector<Value*> of(const std::vector<Value*>& registers) {
    std::vector<Value*> out;
    for (unsigned slot = 0; slot < tile_.rows * tile_.columns / kLanes; ++slot)
      out.push_back(number(registers[slot / tile_.per_register()], slot % tile_.per_register()));
    return out;
  }

  std::vector<Value*> registers(const std::vector<Value*>& numbers) {
    std::vector<Value*> out;
    const auto packed = tile_.per_register();
    for (unsigned first = 0; first < numbers.size(); first += packed) {
      if (packed == 1) {
        out.push_back(bits(numbers[first]));
        continue;
      }
      Value* both = llvm::Constant::getNullValue(b_.vector(4));
      for (unsigned part = 0; part < packed; ++part)
        both = b_.CreateOr(both, b_.CreateShl(b_.CreateZExt(bits(numbers[first + part]), b_.vector(4)), 16 * part));
      out.push_back(both);
    }
    return out;
  }

 private:
  llvm::Type* doubles() { return llvm::FixedVectorType::get(b_.getDoubleTy(), kLanes); }
  llvm::Type* floats() { return llvm::FixedVectorType::get(b_.getFloatTy(), kLanes); }

  Value* number(Value* whole, unsigned part) {
    const auto width = 8 * size_of(tile_.type);
    if (tile_.type == Type::f64) return b_.CreateBitCast(whole, doubles());
    if (tile_.type == Type::tf32)  // the lower bits are not looked at
      whole = b_.CreateAnd(whole, llvm::ConstantInt::get(whole->getType(), 0xFFFFE000));
    if (tile_.type == Type::tf32 || tile_.type == Type::f32)
      return b_.CreateFPExt(b_.CreateBitCast(whole, floats()), doubles());
    auto* const own = b_.CreateTrunc(b_.CreateLShr(whole, width * part), b_.vector(size_of(tile_.type)));
    if (is_half(tile_.type)) return b_.CreateFPExt(widened(b_, own, tile_.type), doubles());
    return is_signed(tile_.type) ? b_.CreateSIToFP(own, doubles()) : b_.CreateUIToFP(own, doubles());
  }

  Value* bits(Value* number) {
    switch (tile_.type) {
      case Type::f16:
        return narrowed(b_, number, Type::f16);
      case Type::f32:
        return or_none(number, b_.CreateBitCast(b_.CreateFPTrunc(number, floats()), b_.vector(4)), kNoFloat);
      case Type::f64:
        return or_none(number, b_.CreateBitCast(number, b_.vector(8)), kNoDouble);
      default:  // sums of integers are exact, and wrap
        return b_.CreateTrunc(b_.CreateFPToSI(number, b_.vector(8)), b_.vector(4));
    }
  }

  Value* or_none(Value* number, Value* bits, std::uint64_t none) {
    return b_.CreateSelect(b_.CreateFCmpUNO(number, number), llvm::ConstantInt::get(bits->getType(), none), bits);
  }

  LaneBuilder& b_;
  const Tile tile_;
};

// The elements of one lane after the other, all from one register; null where they lie in several.
Value* gathered(LaneBuilder& b, const std::vector<Value*>& numbers, const std::array<Home, kLanes>& homes) {
  std::vector<int> lanes;
  for (const auto& home : homes) {
    if (home.slot != homes[0].slot) return nullptr;
    lanes.push_back(static_cast<int>(home.lane));
  }
  return b.CreateShuffleVector(numbers[homes[0].slot], lanes);
}

// D = A * B + C, of the elements of C. Empty where it is too mixed.
std::vector<Value*> sums_of_products(LaneBuilder& b, const Product& p, const std::vector<Value*>& left,
                                     const std::vector<Value*>& right, std::vector<Value*> sums) {
  const Homes of_a(tile(p, 'a')), of_b(tile(p, 'b'));
  const auto sum_tile = tile(p, 'd');
  for (unsigned slot = 0; slot < sums.size(); ++slot)
    for (unsigned k = 0; k < p.k(); ++k) {
      std::array<Home, kLanes> rows, columns;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto place = sum_tile.place(lane, slot);
        rows[lane] = of_a.of(place.row, k);
        columns[lane] = of_b.of(k, place.column);
      }
      auto *const x = gathered(b, left, rows), *const y = gathered(b, right, columns);
      if (!x || !y) return {};
      sums[slot] = b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, sums[slot]});
    }
  return sums;
}

std::uint8_t register_size(const Tile& tile) { return static_cast<std::uint8_t>(size_of(tile.register_type())); }

bool is_simple(const Instruction& i, const Product& p) {
  if (!is_known(p.a) || !is_known(p.b) || !is_known(p.c) || !is_known(p.d)) return false;
  return i.detail == 0 && (p.flags & (kSparse | kCountsBoth | kSaturatingSum)) == 0;
}

// A function of its own, which all products of its kind in a piece call: of the registers of A, B and C those of D.
llvm::Function* function_of(const Product& p, llvm::Module& module, const std::string& name) {
  if (auto* const known = module.getFunction(name)) return known;
  auto& context = module.getContext();
  LaneBuilder b(context);
  std::vector<llvm::Type*> in, out;
  for (const char which : {'a', 'b', 'c', 'd'}) {
    const auto own = tile(p, which);
    for (unsigned k = 0; k < own.registers(); ++k) (which == 'd' ? out : in).push_back(b.vector(register_size(own)));
  }
  auto* const result = llvm::StructType::get(context, out);
  auto* const type = llvm::FunctionType::get(result, in, /*isVarArg=*/false);
  auto* const code = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  code->addFnAttr(llvm::Attribute::NoUnwind);
  code->addFnAttr(llvm::Attribute::NoInline);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", code));
  unsigned next = 0;
  const auto numbers = [&](char which) {
    const auto own = tile(p, which);
    std::vector<Value*> registers;
    for (unsigned k = 0; k < own.registers(); ++k) registers.push_back(code->getArg(next++));
    return Elements(b, own).of(registers);
  };
  const auto x = numbers('a'), y = numbers('b'), z = numbers('c');
  const auto sums = sums_of_products(b, p, x, y, z);
  if (sums.empty()) {
    code->eraseFromParent();
    return nullptr;
  }
  Value* all = llvm::PoisonValue::get(result);
  const auto results = Elements(b, tile(p, 'd')).registers(sums);
  for (unsigned k = 0; k < results.size(); ++k) all = b.CreateInsertValue(all, results[k], k);
  b.CreateRet(all);
  return code;
}

}  // namespace

bool Translator::emit_tensor(std::uint32_t at) {
  const auto& i = function_.code[at];
  const auto op = function_.meanings[at].op;
  // Loads and stores of matrices have the same name, without the flag.
  if ((op != Op::mma_ && op != Op::wmma_) || !i.flag || !all_lanes_ || i.guard.is_there()) return false;
  const auto p = Product::of(i);
  if (i.kind != Kind::converge || !is_simple(i, p)) return false;
  auto* const code = function_of(p, *code_->getParent(), "product" + std::to_string(i.immediate));
  if (!code) return false;
  const auto* next = function_.operands.data() + i.side;
  const auto* const to = next;
  next += tile(p, 'd').registers();
  std::vector<Value*> arguments;
  for (const char which : {'a', 'b', 'c'}) {
    const auto own = tile(p, which);
    for (unsigned k = 0; k < own.registers(); ++k)
      arguments.push_back(b_->as_vector(operand(*next++, register_size(own))));
  }
  auto* const all = b_->CreateCall(code, arguments);
  const auto own = tile(p, 'd');
  for (unsigned k = 0; k < own.registers(); ++k)
    values_[{to[k].offset(), register_size(own)}] = {Shape::any(), b_->CreateExtractValue(all, k)};
  return true;
}

}  // namespace nvmlkit::ptx::jit
