#include "sim/faults/ecc_counters.hpp"

namespace nvmlkit::sim::faults {
namespace {

template <class T>
void add_to(model::Field<T>& counter, std::uint64_t count) {
  if (counter) counter = static_cast<T>(*counter + count);
}

model::Field<std::uint64_t>& counter(model::EccLocations& at, EccPlace place) {
  switch (place) {
    case EccPlace::sram:
      return at.sram;
    case EccPlace::l1_cache:
      return at.l1_cache;
    case EccPlace::l2_cache:
      return at.l2_cache;
    case EccPlace::register_file:
      return at.register_file;
    case EccPlace::texture_memory:
      return at.texture_memory;
    case EccPlace::shared_memory:
      return at.texture_shm;
    case EccPlace::cbu:
      return at.cbu;
    default:
      return at.device_memory;
  }
}

// Where the GPU counts errors of the place. Shared memory and textures are parts of the L1 cache of GPUs that do not
// count them on their own.
EccPlace counted_at(model::EccLocations& at, EccPlace place) {
  const bool in_l1 = place == EccPlace::shared_memory || place == EccPlace::texture_memory;
  return in_l1 && !counter(at, place) && at.l1_cache ? EccPlace::l1_cache : place;
}

}  // namespace

bool counts_errors(model::EccErrors& errors, EccPlace place, bool corrected) {
  auto& at = corrected ? errors.single_bit : errors.double_bit;
  return !at.l1_cache || place == EccPlace::sram || counter(at, counted_at(at, place));
}

void count_errors(model::EccErrors& errors, model::EccSramCounts& sram, EccPlace place, bool corrected,
                  std::uint64_t count) {
  auto& at = corrected ? errors.single_bit : errors.double_bit;
  if (place == EccPlace::sram && !at.sram)  // so far it was the sum of its parts
    at.sram = at.l1_cache.value_or(0) + at.l2_cache.value_or(0) + at.register_file.value_or(0);
  add_to(counter(at, counted_at(at, place)), count);
  add_to(at.total, count);
  if (place == EccPlace::dram) return;
  if (place != EccPlace::sram) add_to(at.sram, count);
  add_to(corrected ? sram.correctable : sram.uncorrectable_secded, count);
}

void count_source(model::EccSramSources& sources, EccPlace place, std::uint64_t count) {
  const bool of_sm = place == EccPlace::l1_cache || place == EccPlace::register_file ||
                     place == EccPlace::shared_memory || place == EccPlace::texture_memory;
  add_to(place == EccPlace::l2_cache ? sources.l2 : of_sm ? sources.sm : sources.other, count);
}

}  // namespace nvmlkit::sim::faults
