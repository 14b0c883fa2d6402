// The MIG profiles of a captured GPU, from those of built-in machines.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/generated/model.hpp"

namespace nvmlkit::smi_log {

// The built-in machine of the product, if its GPUs have MIG profiles; else all of that architecture that have some.
// Older drivers do not tell the architecture; then all.
std::vector<std::string> sibling_machines(const std::string& product, const std::string& architecture);

// A GPU of a built-in machine.
std::unique_ptr<sim::model::Gpu> builtin_gpu(std::string_view name);

// Makes the profiles those of a GPU of the same kind with so much memory: 1g.5gb of 40 GB is 1g.10gb of 80 GB.
void scale_profiles(sim::model::Gpu& gpu, std::uint64_t bytes);

std::string yaml_of_profiles(const sim::model::Gpu& gpu);

}  // namespace nvmlkit::smi_log
