// The commands of nvidia-smi beside its log.
#pragma once

#include <string>
#include <vector>

#include "smi/gpu.hpp"
#include "smi/options.hpp"
#include "smi/select.hpp"

namespace nvmlkit::smi {

std::string help_text();
std::string version_text(const Host& host);
std::string list_gpus(const std::vector<Gpu>& gpus);

}  // namespace nvmlkit::smi
