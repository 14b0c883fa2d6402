// `nvidia-smi -q` and `nvidia-smi -q -x`.
#pragma once

#include <string>
#include <vector>

#include "smi/gpu.hpp"
#include "smi/log/sections.hpp"

namespace nvmlkit::smi {

std::string text_log(const Host& host, const std::vector<Gpu>& gpus, unsigned attached, Sections wanted);
std::string xml_log(const Host& host, const std::vector<Gpu>& gpus, unsigned attached);

}  // namespace nvmlkit::smi
