// Parts of the log with as many entries as there are: MIG devices, accounted processes.
#pragma once

#include "smi/gpu.hpp"
#include "smi/log/lines.hpp"

namespace nvmlkit::smi {

void mig_device_lines(const Gpu& gpu, Lines& lines);

// For `-d ACCOUNTING`, and for the document.
void accounted_lines(const Gpu& gpu, Lines& lines);
void accounted_elements(const Gpu& gpu, Lines& lines);

}  // namespace nvmlkit::smi
