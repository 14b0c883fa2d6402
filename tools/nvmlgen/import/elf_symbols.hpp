// The dynamic symbol table of a shared library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlgen::headers {

/// Names of the symbols that the library defines and exports and that begin with `prefix`, sorted, each once.
/// Reads 64-bit little-endian ELF; throws Error for anything else, and for tables that point outside of the file.
std::vector<std::string> exported_symbols(const std::filesystem::path& library, std::string_view prefix);

/// The version in a file name like libnvidia-ml.so.535.261.03 (symbolic links followed); empty when there is none.
std::string library_version(const std::filesystem::path& library);

}  // namespace nvmlgen::headers
