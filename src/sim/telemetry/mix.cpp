#include "sim/telemetry/mix.hpp"

#include <algorithm>

namespace nvmlkit::sim::telemetry {
namespace {

// A training job on units for matrices.
constexpr Mix kUsual = {95, 45, 18, 40, 0, 0, 0, 22, 6};

template <class Shares>
Mix over(const Mix& base, const Shares& m) {
  const model::Field<std::uint32_t>* const fields[] = {&m.sm,   &m.occupancy, &m.integer, &m.hmma, &m.imma,
                                                       &m.dfma, &m.fp64,      &m.fp32,    &m.fp16};
  static_assert(std::size(fields) == Pipe::count);
  Mix out = base;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (*fields[k]) out[k] = static_cast<std::uint8_t>(std::min(**fields[k], 100U));
  return out;
}

}  // namespace

Mix mix_at_rest(const model::Gpu& gpu) { return over(kUsual, gpu.gpm.mix); }
Mix mix_of(const model::Gpu& gpu) { return over(mix_at_rest(gpu), gpu.workload.mix); }

}  // namespace nvmlkit::sim::telemetry
