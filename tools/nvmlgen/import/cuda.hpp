// A description of cuda.h in JSON, and what drivers export, into registry/cuda/facts.
#pragma once

#include <filesystem>
#include <string>

namespace nvmlgen {

// The description has the functions, enums, structs and typedefs of the header as libclang reports them, the function
// pointer types of cudaTypedefs.h, and the symbols of driver libraries. Writes our own shape of it; returns one line
// for people.
std::string import_cuda(const std::filesystem::path& description, const std::filesystem::path& facts);

}  // namespace nvmlgen
