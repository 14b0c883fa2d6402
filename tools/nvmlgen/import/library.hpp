// `nvmlgen import-library`: what the headers of a CUDA library declare, and what its library exports.
#pragma once

#include <filesystem>
#include <string>

namespace nvmlgen {

struct LibraryImport {
  std::filesystem::path registry;  // registry/libraries
  std::string name;                // of a file there, without .yaml
  std::filesystem::path include;   // folder of the headers; empty: only the exports are read
  std::filesystem::path library;   // whose exports are read; empty: the one beside the headers
  std::string version;             // of CUDA; empty: what the headers give
};

/// Writes facts/NAME.json. Returns one line for people.
std::string import_library(const LibraryImport& import);

}  // namespace nvmlgen
