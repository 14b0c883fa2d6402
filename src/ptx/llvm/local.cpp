#include "ptx/llvm/local.hpp"

#include <array>

#include "ptx/local_words.hpp"

namespace nvmlkit::ptx::jit {
namespace {

constexpr unsigned kBits = 8;  // of a byte
const Shape kAny = Shape::any();

Shape side_by_side() {
  auto out = Shape::same();
  for (unsigned lane = 0; lane < kLanes; ++lane) out.more[lane] = static_cast<std::int64_t>(lane * kLocalWord);
  return out;
}
const Shape kSideBySide = side_by_side();

// As place_in_words(), without the lane.
llvm::Value* in_words(LaneBuilder& b, llvm::Value* address) {
  const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(address->getType(), n); };
  auto* const in_word = b.CreateAnd(address, number(kLocalWord - 1));
  auto* const rows = b.CreateMul(b.CreateSub(address, in_word), number(kLocalRow / kLocalWord));
  return b.CreateOr(rows, in_word);
}

// All lanes have one address.
void put_in_row(LaneBuilder& b, const LocalMemory& local, llvm::Value* address, unsigned size, Place& place) {
  // Whole words begin where a word does.
  auto* const begin = b.CreateAnd(address, b.getInt64(~(kLocalWord - 1)));
  auto* const in_word =
      size < kLocalWord ? b.CreateAnd(address, b.getInt64(kLocalWord - 1)) : static_cast<llvm::Value*>(b.getInt64(0));
  place.row = b.CreateAdd(local.begin, b.CreateMul(begin, b.getInt64(kLocalRow / kLocalWord)));
  place.bits = b.CreateMul(in_word, b.getInt64(kBits));
  place.host = b.CreateAdd(place.row, in_word);
  place.shape = &kSideBySide;
}

// Where all have one address, a vector of 32 bits is the same for all accesses.
void put_lane_after_lane(LaneBuilder& b, const LocalMemory& local, const Lanes& address, Place& place) {
  place.base = address.shape.is_any ? local.begin : place.host;
  place.offsets = local.of_lanes;
  if (address.shape.is_same()) place.step = local.bytes;
  if (address.shape.is_any)
    place.offsets = b.CreateAdd(place.offsets, b.CreateTrunc(address.value, place.offsets->getType()));
  else if (!place.step)
    place.offsets = b.CreateAdd(place.offsets, b.numbers(address.shape.more, b.getInt32Ty()));
}

void put_in_words(LaneBuilder& b, const LocalMemory& local, const Lanes& address, Place& place) {
  auto* const all = b.CreateTrunc(b.as_vector(address), local.of_lanes->getType());
  place.base = local.begin;
  place.offsets = b.CreateAdd(in_words(b, all), local.of_lanes);
}

// The bits of each lane's word.
llvm::FixedVectorType* row_type(LaneBuilder& b) { return b.vector(kLocalWord); }

llvm::Value* load_row(LaneBuilder& b, const Place& place) {
  return b.CreateAlignedLoad(row_type(b), b.pointer(place.row), llvm::Align(kLocalAlign));
}

llvm::Value* shifted(LaneBuilder& b, const Place& place) { return b.CreateVectorSplat(kLanes, place.bits); }

}  // namespace

LocalMemory local_memory(LaneBuilder& b, bool is_in_words, llvm::Value* begin, llvm::Value* bytes) {
  std::array<std::int64_t, kLanes> numbers{};
  for (unsigned lane = 0; lane < kLanes; ++lane) numbers[lane] = lane * (is_in_words ? kLocalWord : 1);
  llvm::Value* of_lanes = b.numbers(numbers, b.getInt32Ty());
  if (!is_in_words) of_lanes = b.CreateMul(b.CreateVectorSplat(kLanes, b.CreateTrunc(bytes, b.getInt32Ty())), of_lanes);
  return {begin, bytes, of_lanes, is_in_words};
}

void put_in_lanes(LaneBuilder& b, const LocalMemory& local, const Lanes& address, unsigned size, Place& place) {
  if (local.is_in_words && address.shape.is_same()) return put_in_row(b, local, address.value, size, place);
  local.is_in_words ? put_in_words(b, local, address, place) : put_lane_after_lane(b, local, address, place);
  place.host = b.CreateAdd(b.CreateVectorSplat(kLanes, place.base), b.CreateSExt(place.offsets, b.vector(8)));
  place.shape = &kAny;
}

std::vector<std::pair<MemoryAccess, Place>> parts_of(LaneBuilder& b, const MemoryAccess& access, const Place& place) {
  std::vector<std::pair<MemoryAccess, Place>> out;
  const auto values = kLocalWord / access.element_size();
  for (std::size_t k = 0; k < access.values.size() / values; ++k) {
    auto [part, where] = std::pair(access, place);
    const auto begin = access.values.begin() + static_cast<std::ptrdiff_t>(k * values);
    part.values.assign(begin, begin + static_cast<std::ptrdiff_t>(values));
    const auto further = [&](llvm::Value*& host) {
      if (!host) return;
      auto* const more = llvm::ConstantInt::get(host->getType(), k * kLocalRow);
      host = b.CreateAdd(host, more);
    };
    further(where.host);
    further(where.base);
    further(where.row);
    out.emplace_back(part, where);
  }
  return out;
}

std::vector<llvm::Value*> load_words(LaneBuilder& b, const MemoryAccess& access, const Place& place) {
  const auto element = access.element_size();
  auto* const words = b.CreateLShr(load_row(b, place), shifted(b, place));
  std::vector<llvm::Value*> out;
  for (std::size_t k = 0; k < access.values.size(); ++k) {
    auto* const part = b.CreateLShr(words, llvm::ConstantInt::get(row_type(b), kBits * element * k));
    out.push_back(b.CreateTrunc(part, b.vector(element)));
  }
  return out;
}

// No other thread changes the words between their load and their store.
void store_words(LaneBuilder& b, const MemoryAccess& access, const Place& place,
                 const std::vector<llvm::Value*>& values, llvm::Value* acts) {
  const auto element = access.element_size();
  llvm::Value* words = llvm::Constant::getNullValue(row_type(b));
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto* const part = b.CreateZExt(values[k], row_type(b));
    words = b.CreateOr(words, b.CreateShl(part, llvm::ConstantInt::get(row_type(b), kBits * element * k)));
  }
  if (access.size() < kLocalWord) {
    const auto own = (std::uint64_t{1} << kBits * access.size()) - 1;
    auto* const kept = b.CreateNot(b.CreateShl(llvm::ConstantInt::get(row_type(b), own), shifted(b, place)));
    words = b.CreateOr(b.CreateAnd(load_row(b, place), kept), b.CreateShl(words, shifted(b, place)));
  }
  if (acts) words = b.CreateSelect(acts, words, load_row(b, place));
  b.CreateAlignedStore(words, b.pointer(place.row), llvm::Align(kLocalAlign));
}

}  // namespace nvmlkit::ptx::jit
