// Pieces of C++ that the emitters of the CUDA driver share.
#pragma once

#include <string>
#include <vector>

#include "emit/driver/text.hpp"
#include "registry/cuda.hpp"

namespace nvmlgen::cuda {

// "const void *" + "src" -> "const void* src"
std::string declare(const std::string& type, const std::string& name);

std::string parameter_list(const Function& function);

// "a, b", the stream made the per-thread one for that variant.
std::string arguments(const Function& function);

// Structs whose members api.hpp declares: those that our own code reads or writes, and those passed by value.
std::vector<const Struct*> complete_structs(const Registry& registry);

}  // namespace nvmlgen::cuda
