// Headers and library of a CUDA runtime -> registry/cuda/facts/runtime.json, runtime_exports.json.
#pragma once

#include <filesystem>
#include <string>

namespace nvmlgen {

/// Reads the functions that cuda_runtime_api.h and cuda_profiler_api.h of `include` declare, with the variants of the
/// per-thread default stream, and what the library beside that folder exports; keeps them beside those of other
/// versions. Answers what it found.
std::string import_cuda_runtime(const std::filesystem::path& include, const std::filesystem::path& facts);

}  // namespace nvmlgen
