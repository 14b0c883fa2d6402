// Where the bytes of an access lie.
#include <cstddef>

#include "ptx/llvm/local.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
std::optional<MemoryAccess> Translator::access_at(std::uint32_t at) const {
  return memory_access(function_, needs_, at);
}

Shape Translator::shape_of_base(const MemoryAccess& access) {
  if (!access.base.is_there()) return Shape::same();
  return operand(access.base, access.wide_address ? 8 : 4).shape;
}

// Of 64 bits, whatever the register has.
Lanes Translator::address_of(const MemoryAccess& access) {
  auto& b = *b_;
  llvm::Value* start = b.getInt64(access.offset);
  if (access.of_frame) start = b.CreateAdd(start, field(offsetof(CodeContext, local_start), b.getInt64Ty()));
  if (access.of_image) start = b.CreateAdd(start, image_);
  if (!access.base.is_there()) return {Shape::same(), start};
  auto out = operand(access.base, access.wide_address ? 8 : 4);
  llvm::Value* offset = llvm::ConstantInt::get(b.element(access.wide_address ? 8 : 4), access.offset);
  if (access.of_image) offset = b.CreateTrunc(start, offset->getType());
  out.value = b.CreateAdd(out.value, out.shape.is_any ? b.CreateVectorSplat(kLanes, offset) : offset);
  // The first lane of a row need not act. Its address may lie before the window.
  const bool has_sign = !out.shape.is_any && (access.space == Space::shared || access.space == Space::local);
  if (!access.wide_address) out.value = b.CreateIntCast(out.value, b.type_of(out.shape, 8), has_sign);
  return out;
}

llvm::Value* Translator::find_place(const MemoryAccess& access, const Lanes& address, std::int32_t number, Place& out) {
  auto& b = *b_;
  llvm::Value *start = b.getInt64(0), *room = shared_bytes_, *delta = shared_;
  if (access.space == Space::global) {
    auto* const reached =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), reached_, static_cast<std::uint64_t>(number) * sizeof(Reached));
    const auto part = [&](std::size_t offset) {
      return b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), reached, offset));
    };
    start = part(offsetof(Reached, start));
    room = part(offsetof(Reached, size));
    out.delta = delta = part(offsetof(Reached, delta));
  }
  if (access.space == Space::local) room = local_.bytes, delta = local_.begin;
  auto* const fits = find_host(access, address, {start, room, delta}, out);
  if (access.space == Space::local) put_in_lanes(*b_, local_, address, access.size(), out);
  return fits;
}

// Whether the addresses of all lanes that act lie in memory of `room` bytes from `start` on.
llvm::Value* Translator::find_host(const MemoryAccess& access, const Lanes& address, const Room& where, Place& out) {
  auto& b = *b_;
  const auto [start, room, delta] = where;
  const auto size = access.size();
  out.shape = &address.shape;
  if (!address.shape.is_any) {
    const auto extent = extent_of(address.shape);
    auto* const low = b.CreateSub(b.CreateAdd(address.value, extent.least), start);
    auto* const length = b.CreateAdd(b.CreateSub(extent.most, extent.least), b.getInt64(size));
    auto* fits = b.CreateAnd(b.CreateICmpULT(low, room), b.CreateICmpUGE(b.CreateSub(room, low), length));
    std::uint64_t bits = 0;
    for (const auto more : address.shape.more) bits |= static_cast<std::uint64_t>(more);
    if (size > 1) {
      auto* const low_bits = b.CreateAnd(address.value, b.getInt64(size - 1));
      fits = b.CreateAnd(fits, (bits & (size - 1)) == 0 ? b.CreateICmpEQ(low_bits, b.getInt64(0)) : b.getFalse());
    }
    out.host = b.CreateAdd(address.value, delta);
    return fits;
  }
  const auto all = [&](llvm::Value* v) { return b.CreateVectorSplat(kLanes, v); };
  // Windows of 32 bits begin at 0.
  auto* const narrow = llvm::dyn_cast<llvm::ZExtInst>(address.value);
  auto* const addresses = narrow ? narrow->getOperand(0) : address.value;
  auto* const element = addresses->getType()->getScalarType();
  auto* const low = narrow ? addresses : b.CreateSub(addresses, all(start));
  // Those of a size that fits no lane fail, too.
  auto* const limit = b.CreateTrunc(b.CreateSub(room, b.getInt64(size)), element);
  auto* bad = b.CreateSExt(b.CreateICmpUGT(low, all(limit)), addresses->getType());
  if (size > 1) bad = b.CreateOr(bad, b.CreateAnd(addresses, all(llvm::ConstantInt::get(element, size - 1))));
  if (acts_) bad = b.CreateSelect(acts_, bad, llvm::Constant::getNullValue(bad->getType()));
  auto* const fits = b.CreateAnd(b.CreateICmpUGE(room, b.getInt64(size)),
                                 b.CreateICmpEQ(b.CreateOrReduce(bad), llvm::ConstantInt::get(element, 0)));
  out.host = b.CreateAdd(b.CreateZExt(addresses, b.vector(8)), all(delta));
  // Offsets have a sign. A block has far less shared memory.
  if (narrow && access.space == Space::shared) out.base = delta, out.offsets = addresses;
  return fits;
}

// Addresses that are known in a vector only are used lane by lane. They take the way through the stack: as parts of a
// vector, they cost more instructions, and Zen 4 then takes a load for one of what an earlier lane stored, in vain, as
// long as both have their address in the same register. That made histograms four times as slow.
void Translator::lay_out(llvm::Value* hosts) {
  b_->CreateAlignedStore(hosts, laid_out_, llvm::Align(64), /*isVolatile=*/true);
}

llvm::Value* Translator::laid_out(llvm::Value* lane) {
  auto& b = *b_;
  auto* const at = b.CreateInBoundsGEP(b.getInt64Ty(), laid_out_, {lane});
  return b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8), /*isVolatile=*/true);
}

llvm::Value* Translator::host_of_lane(const Place& place, unsigned lane, unsigned part) {
  auto& b = *b_;
  if (place.step && !place.is_laid_out) {
    auto* const own = b.CreateAdd(place.base, b.CreateMul(place.step, b.getInt64(lane)));
    return b.pointer(b.CreateAdd(own, b.getInt64(part)));
  }
  if (place.shape->is_any) {
    auto* const own = place.is_laid_out ? laid_out(b.getInt64(lane)) : b.CreateExtractElement(place.host, lane);
    return b.pointer(b.CreateAdd(own, b.getInt64(part)));
  }
  const auto more = place.shape->more[lane] + static_cast<std::int64_t>(part);
  return b.pointer(b.CreateAdd(place.host, b.getInt64(static_cast<std::uint64_t>(more))));
}

}  // namespace nvmlkit::ptx::jit
