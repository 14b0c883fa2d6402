// Pieces of C++ that the emitters of libraries share.
#pragma once

#include <string>

#include "emit/text/banner.hpp"
#include "registry/libraries.hpp"

namespace nvmlgen::libraries {

// A type of the headers as src/libraries has it: "const cuComplex *const *" -> "const Complex* const*".
std::string our_type(const Library& library, const std::string& type);

// "cublasStatus_t cublasCreate_v2(Handle** handle)"
std::string declaration(const Library& library, const Function& function);

// "handle, m, n" without the first so many.
std::string arguments(const Function& function, std::size_t skipped = 0);

// Whether its first argument is the library's handle.
bool takes_handle(const Library& library, const Function& function);

}  // namespace nvmlgen::libraries
