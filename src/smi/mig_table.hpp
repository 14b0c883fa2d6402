// The table of MIG devices below the table of GPUs.
#pragma once

#include <string>
#include <vector>

#include "smi/gpu.hpp"

namespace nvmlkit::smi {

// Empty where no GPU is in MIG mode.
std::string mig_table(const std::vector<Gpu>& gpus, int width);

}  // namespace nvmlkit::smi
