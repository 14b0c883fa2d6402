// What a GPU reset does.
#pragma once

#include "sim/generated/model.hpp"

namespace nvmlkit::sim::setters {

// Pending modes become current, what errors left behind goes, and what lasts only while the driver is loaded returns to
// its default.
void reset_gpu(model::Gpu& gpu);

void clear_ecc_counts(model::EccErrors& errors, model::EccSramCounts& sram);

}  // namespace nvmlkit::sim::setters
