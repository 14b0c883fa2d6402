// Loads and stores at an address for each lane, by instructions of the processor for all of them.
#include <limits>

#include "ptx/llvm/host.hpp"
#include "ptx/llvm/scattered.hpp"
#include "ptx/llvm/translator.hpp"

namespace nvmlkit::ptx::jit {
namespace {

// What such an instruction adds to an address, of 32 bits if they have these.
struct Offsets {
  llvm::Value *base, *of_lanes;
};

Offsets offsets_of(LaneBuilder& b, const Place& place) {
  if (!place.shape->is_any) return {place.host, b.numbers(place.shape->more, b.getInt32Ty())};
  if (place.offsets) return {place.base, place.offsets};
  return {b.getInt64(0), place.host};
}

}  // namespace

bool Translator::is_at_once(const MemoryAccess& access, const Place& place) {
  if (access.change != Change::none || access.element_size() < 4) return false;
  if (access.loads ? !has_fast_gathers() : !has_fast_scatters()) return false;
  using Word = std::numeric_limits<std::int32_t>;
  return place.shape->is_any || (place.shape->least() >= Word::min() && place.shape->most() <= Word::max());
}

llvm::Value* Translator::gather_part(const MemoryAccess& access, const Place& place, unsigned part) {
  auto& b = *b_;
  const auto at = offsets_of(b, place);
  return gather(b, access.element_size(), b.CreateAdd(at.base, b.getInt64(part)), at.of_lanes, acts_);
}

void Translator::scatter(const MemoryAccess& access, const Place& place, const std::vector<Lanes>& values) {
  auto& b = *b_;
  const auto at = offsets_of(b, place);
  for (unsigned k = 0; k < values.size(); ++k) {
    auto* const base = b.CreateAdd(at.base, b.getInt64(k * access.element_size()));
    jit::scatter(b, b.as_vector(values[k]), base, at.of_lanes, acts_);
  }
}

}  // namespace nvmlkit::ptx::jit
