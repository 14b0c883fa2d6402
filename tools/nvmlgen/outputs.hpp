// The files that nvmlgen writes: one list, for writing them and for the check that they are current.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "registry/public_headers.hpp"
#include "registry/registry.hpp"

namespace nvmlgen {

struct Output {
  std::filesystem::path path;  // below the root of the project
  std::string text;
};

std::vector<Output> all_outputs(const Registry& registry, const PublicHeaders& headers);

// Writes what differs; returns the paths written.
std::vector<std::filesystem::path> write_outputs(const std::filesystem::path& root, const std::vector<Output>& outputs);

// Paths whose file is missing or differs, and files in generated/ folders that nothing generates any more.
std::vector<std::filesystem::path> stale_outputs(const std::filesystem::path& root, const std::vector<Output>& outputs);

}  // namespace nvmlgen
