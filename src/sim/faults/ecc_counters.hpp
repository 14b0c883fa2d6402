// Which counters an ECC error moves.
#pragma once

#include "sim/faults/inject.hpp"

namespace nvmlkit::sim::faults {

// Does the GPU count such errors? GPUs that count each part of their SRAM have no other place for an error.
bool counts_errors(model::EccErrors& errors, EccPlace place, bool corrected);

void count_errors(model::EccErrors& errors, model::EccSramCounts& sram, EccPlace place, bool corrected,
                  std::uint64_t count);
void count_source(model::EccSramSources& sources, EccPlace place, std::uint64_t count);

}  // namespace nvmlkit::sim::faults
